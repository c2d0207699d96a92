/** All sequences of writes by which server-side apply is compared with the real server. */
import { request as httpsRequest } from 'node:https'
import { CONFIG_CASES, REFUSED_CASES } from './apply-cases-config.ts'
import { CUSTOM_CASES } from './apply-cases-custom.ts'
import { WORKLOAD_CASES } from './apply-cases-workloads.ts'
import { type Case, GADGET_CRD, GADGETS, type Json, type Send, type StepAnswer } from './apply-steps.ts'

export const APPLY_CASES: readonly Case[] = [...CONFIG_CASES, ...REFUSED_CASES, ...WORKLOAD_CASES, ...CUSTOM_CASES]

/** What a real server answered, by the name of the case; `record-apply.ts` writes it. */
export interface Golden {
  /** `gitVersion` of the server that was recorded. */
  readonly server: string
  readonly answers: Readonly<Record<string, readonly StepAnswer[]>>
}

export interface ServerAddress {
  readonly url: string
  readonly token: string
  readonly caPem: string
}

export function senderTo({ url, token, caPem }: ServerAddress): Send {
  return ({ method, path, contentType, body, userAgent = 'apply-cases/1' }) =>
    new Promise((resolve, reject) => {
      const payload = JSON.stringify(body) ?? ''
      const headers = {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        'content-type': contentType,
        'content-length': Buffer.byteLength(payload),
        'user-agent': userAgent,
      }
      const request = httpsRequest(`${url}${path}`, { method, ca: caPem, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          // A kind that is not served yet is answered in plain text.
          const isJson = response.headers['content-type']?.startsWith('application/json') === true
          resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(text) : { text } })
        })
      })
      request.on('error', reject)
      request.end(payload)
    })
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Creates the custom kind of the cases, and waits until it can be written. */
export async function prepare(send: Send): Promise<void> {
  const post = (path: string, body: Json) => send({ method: 'POST', path, contentType: 'application/json', body })
  const created = await post(CRDS, GADGET_CRD)
  if (created.status !== 201) throw new Error(`the CRD was not created: ${JSON.stringify(created.body)}`)
  const probe = { apiVersion: 'apply.example.com/v1', kind: 'Gadget', metadata: { name: 'probe' } }
  const deadline = Date.now() + 20_000
  for (;;) {
    const { status, body } = await post(GADGETS, probe).catch(() => ({ status: 0, body: {} }))
    if (status === 201 || status === 409) return
    if (Date.now() > deadline) throw new Error(`gadgets cannot be written: ${status} ${JSON.stringify(body)}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

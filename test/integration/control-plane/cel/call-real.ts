/** Requests to a real server. */
import { Agent, request } from 'node:https'
import type { RealPair } from '../../../support/real-pair.ts'
import type { Call, Reply } from './run-cases.ts'

export function callReal({ url, token, caPem }: RealPair): { readonly call: Call; close(): void } {
  const agent = new Agent({ keepAlive: true, ca: caPem })
  const call: Call = (method, path, body) => {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${token}`,
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    }
    return new Promise<Reply>((resolve, reject) => {
      const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: response.statusCode ?? 0, json: text.startsWith('{') ? JSON.parse(text) : text })
        })
      })
      sent.on('error', reject)
      sent.end(payload)
    })
  }
  return { call, close: () => agent.destroy() }
}

/**
 * Records what a real kube-apiserver makes of the writes in src/control-plane/builtin/write-cases.fixture.yaml: the stored
 * object, or the status and causes of its refusal. Needs the programs that `npm run assets` builds.
 *
 *   node scripts/generate/kubernetes/record-writes.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import path from 'node:path'
import { parse } from 'yaml'
import { builtinResources } from '../../../src/control-plane/builtin/index.ts'
import { type RealPair, startRealPair } from '../../../test/support/real-pair.ts'

const FOLDER = path.resolve(import.meta.dirname, '../../../src/control-plane/builtin')

interface WriteCase {
  readonly name: string
  readonly create: { apiVersion: string; kind: string; metadata: { name: string } }
  readonly patches?: readonly unknown[]
}

interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

const cases: WriteCase[] = parse(readFileSync(path.join(FOLDER, 'write-cases.fixture.yaml'), 'utf8'))
const pair = await startRealPair()
try {
  const lines: string[] = []
  for (const one of cases) lines.push(`  ${JSON.stringify({ name: one.name, steps: await record(pair, one) })}`)
  writeFileSync(path.join(FOLDER, 'recorded-writes.fixture.json'), `[\n${lines.join(',\n')}\n]\n`)
  console.log(`record writes: ${cases.length} cases`)
} finally {
  await pair.stop()
}

/** The outcome of each write; nothing a cluster would make by itself is in it. */
async function record(pair: RealPair, { create, patches = [] }: WriteCase): Promise<unknown[]> {
  const collection = collectionPath(create)
  const item = `${collection}/${create.metadata.name}`
  const steps = [outcome(await send(pair, 'POST', collection, create))]
  for (const patch of patches) steps.push(outcome(await send(pair, 'PATCH', item, patch)))
  await send(pair, 'DELETE', item, { gracePeriodSeconds: 0, propagationPolicy: 'Background' })
  return steps
}

function collectionPath({ apiVersion, kind }: WriteCase['create']): string {
  const [version = '', group = ''] = apiVersion.split('/').reverse()
  const definition = builtinResources().find(
    (one) => one.group === group && one.version === version && one.kind === kind,
  )
  if (definition === undefined) throw new Error(`${apiVersion} ${kind} is not served`)
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return definition.namespaced ? `${root}/namespaces/default/${definition.plural}` : `${root}/${definition.plural}`
}

function outcome({ status, body }: Answer): unknown {
  if (status >= 400) {
    const details = body['details'] as { causes?: unknown[] } | undefined
    return { status, reason: body['reason'], causes: details?.causes ?? [] }
  }
  const { managedFields: _managedFields, ...metadata } = body['metadata'] as Record<string, unknown>
  return { status, object: { ...body, metadata } }
}

function send(pair: RealPair, method: string, target: string, body: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const text = Buffer.from(JSON.stringify(body))
    // A DELETE with a body is framed by its length only.
    const headers = { authorization: `Bearer ${pair.token}`, 'content-type': type, 'content-length': text.length }
    const sent = request(new URL(target, pair.url), { method, headers, ca: pair.caPem }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(parts).toString()) })
      })
    })
    sent.on('error', reject)
    sent.end(text)
  })
}

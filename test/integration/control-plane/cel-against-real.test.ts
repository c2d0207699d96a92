/**
 * Validation rules, case by case: what a real kube-apiserver answered is kept in a file; ours has to answer the same. With
 * the programs at hand the real one is asked again, and `vitest -u` records its answers anew.
 */
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:https'
import { expect, it } from 'vitest'
import { hasRealPair, type RealPair, startRealPair } from '../../support/real-pair.ts'
import { KNOWN_DIFFERENCES } from './cel/known-differences.ts'
import { askAll, type Call, type Outcomes, type Reply } from './cel/run-cases.ts'
import { startTestServer } from './harness.ts'

const RECORDED = new URL('./cel/recorded-answers.fixture.json', import.meta.url)

interface Recording {
  readonly version: string
  readonly outcomes: Outcomes
}

it('our server answers every case as the real one did', { timeout: 120_000 }, async () => {
  const { outcomes: recorded } = JSON.parse(await readFile(RECORDED, 'utf8')) as Recording
  const server = await startTestServer()
  try {
    const ours = await askAll((method, path, body) => server.call(method, path, body === undefined ? {} : { body }))
    const names = Object.keys(recorded)
    const different = names.filter((name) => JSON.stringify(ours[name]) !== JSON.stringify(recorded[name]))
    const surprising = different.filter((name) => KNOWN_DIFFERENCES[name] === undefined)
    expect(pick(ours, surprising)).toEqual(pick(recorded, surprising))
    // A difference that is gone leaves the list.
    expect(Object.keys(KNOWN_DIFFERENCES).sort()).toEqual(different.sort())
    expect(names.length).toBeGreaterThan(400)
    expect(server.errors).toEqual([])
  } finally {
    await server.close()
  }
})

it.skipIf(!hasRealPair)('a real kube-apiserver still answers as recorded', { timeout: 180_000 }, async () => {
  const pair = await startRealPair()
  const agent = new Agent({ keepAlive: true, ca: pair.caPem })
  try {
    const call = callTo(pair, agent)
    const recording: Recording = {
      version: (await call('GET', '/version')).json.gitVersion,
      outcomes: await askAll(call),
    }
    await expect(`${JSON.stringify(recording, undefined, 1)}\n`).toMatchFileSnapshot(RECORDED.pathname)
  } finally {
    agent.destroy()
    await pair.stop()
  }
})

function pick(outcomes: Outcomes, names: readonly string[]): Outcomes {
  return Object.fromEntries(names.flatMap((name) => (outcomes[name] === undefined ? [] : [[name, outcomes[name]]])))
}

function callTo({ url, token }: RealPair, agent: Agent): Call {
  return (method, path, body) => {
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
}

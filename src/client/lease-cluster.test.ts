import { existsSync, readFileSync, statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type ScriptedAnswer,
  type ScriptedServer,
  sendJson,
  startScriptedServer,
} from '../../test/support/scripted-server.ts'
import { KobeError } from './errors.ts'
import { type LeaseClusterOptions, leaseCluster } from './lease-cluster.ts'

const ID = 'lease-aabbccddeeff'
const PENDING = { id: ID, phase: 'Pending', profile: 'ci', queue_position: 2, reason: 'AllLeased' }
const inOneHour = new Date(Date.now() + 3_600_000).toISOString()
const BOUND = {
  id: ID,
  phase: 'Bound',
  profile: 'ci',
  cluster_name: 'c-1',
  kubeconfig: 'K',
  ttl: '1h',
  expires_at: inOneHour,
}

let server: ScriptedServer
let answers: Record<string, ScriptedAnswer>

beforeEach(async () => {
  answers = {
    [`POST /v1/leases`]: (_, response) => sendJson(response, 202, PENDING),
    [`GET /v1/leases/${ID}`]: (_, response) => sendJson(response, 200, BOUND),
    [`DELETE /v1/leases/${ID}`]: (_, response) => response.writeHead(204).end(),
    [`POST /v1/leases/${ID}/heartbeat`]: (_, response) => sendJson(response, 200, { id: ID, phase: 'Bound' }),
    [`PATCH /v1/leases/${ID}`]: (_, response) => sendJson(response, 200, { expires_at: inOneHour }),
  }
  server = await startScriptedServer((request, response) => {
    const answer = answers[`${request.method} ${request.path}`]
    return answer === undefined ? sendJson(response, 404, { error: 'Not found' }) : answer(request, response)
  })
})
afterEach(() => server.close())

const lease = (options: Partial<LeaseClusterOptions> = {}) =>
  leaseCluster({ pool: 'ci', endpoint: server.url, token: 't', ...options })
const sent = (line: string) => server.requests.filter(({ method, path }) => `${method} ${path}` === line)

/** Resolves with the error; a success fails the test. */
async function failureOf(promise: Promise<unknown>): Promise<KobeError> {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  )
  if (error instanceof KobeError) return error
  throw new Error('a KobeError was expected', { cause: error })
}

async function until(check: () => boolean): Promise<void> {
  const deadline = performance.now() + 8_000
  while (!check()) {
    if (performance.now() > deadline) throw new Error('not in time')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('a leased cluster', () => {
  test('has a private kubeconfig file, which goes with its release; releasing twice is releasing once', async () => {
    const cluster = await lease({ ttl: '1h', name: 'mine' })
    expect(readFileSync(cluster.kubeconfigPath, 'utf8')).toBe('K')
    expect(statSync(cluster.kubeconfigPath).mode & 0o777).toBe(0o600)
    expect(cluster).toMatchObject({ id: ID, pool: 'ci', clusterName: 'c-1', kubeconfig: 'K' })
    expect(JSON.parse(sent('POST /v1/leases')[0]?.body ?? '')).toMatchObject({
      profile: 'ci',
      ttl: '1h',
      alias: 'mine',
      idle_timeout: '2m',
      idempotencyKey: expect.stringMatching(/^kobe-[0-9a-f]{32}$/),
    })
    await Promise.all([cluster.release(), cluster[Symbol.asyncDispose]()])
    expect(existsSync(cluster.kubeconfigPath)).toBe(false)
    expect(sent(`DELETE /v1/leases/${ID}`)).toHaveLength(1)
  })

  test('a lease that is gone already is released', async () => {
    const cluster = await lease()
    answers[`DELETE /v1/leases/${ID}`] = (_, response) => sendJson(response, 404, { reason: 'lease_not_found' })
    await cluster.release()
  })

  test('sends heartbeats, and says once that they fail, until they succeed again', async () => {
    const troubles: KobeError[] = []
    let failing = 2
    answers[`POST /v1/leases/${ID}/heartbeat`] = (_, response) => {
      failing -= 1
      sendJson(response, failing < 0 ? 200 : 503, { id: ID, phase: 'Bound', error: 'later' })
    }
    const cluster = await lease({ idleTimeout: '1s', onTrouble: (error) => troubles.push(error) })
    await until(() => sent(`POST /v1/leases/${ID}/heartbeat`).length >= 4)
    await cluster.release()
    expect(troubles.map(({ status }) => status)).toEqual([503])
  })

  test('says when the lease has ended, and sends nothing more', async () => {
    answers[`POST /v1/leases/${ID}/heartbeat`] = (_, response) =>
      sendJson(response, 409, { error: 'The lease has ended', reason: 'lease_ended' })
    const ended = Promise.withResolvers<KobeError>()
    const cluster = await lease({ idleTimeout: '1s', onEnded: ended.resolve })
    expect((await ended.promise).reason).toBe('lease_ended')
    await cluster.release()
    expect(sent(`POST /v1/leases/${ID}/heartbeat`)).toHaveLength(1)
  })

  test('is extended by its TTL when its end is near; a refusal is told once and the cluster stays', async () => {
    const soon = new Date(Date.now() + 1_000).toISOString()
    answers[`GET /v1/leases/${ID}`] = (_, response) =>
      sendJson(response, 200, { ...BOUND, ttl: '5s', expires_at: soon })
    answers[`PATCH /v1/leases/${ID}`] = (_, response) =>
      sendJson(response, 400, { error: 'Maximum extensions reached', reason: 'extension_budget_exhausted' })
    const troubles: KobeError[] = []
    const cluster = await lease({ idleTimeout: '1s', onTrouble: (error) => troubles.push(error) })
    await until(() => sent(`POST /v1/leases/${ID}/heartbeat`).length >= 2)
    await cluster.release()
    expect(sent(`PATCH /v1/leases/${ID}`).map(({ body }) => JSON.parse(body))).toEqual([{ extend_ttl: '5s' }])
    expect(troubles.map(({ reason }) => reason)).toEqual(['extension_budget_exhausted'])
  })
})

describe('asking', () => {
  test('is repeated with the same key where the server asks for that', async () => {
    let refusals = 1
    answers['POST /v1/leases'] = (_, response) => {
      refusals -= 1
      if (refusals < 0) sendJson(response, 202, PENDING)
      else sendJson(response, 503, { error: 'busy', reason: 'admission_busy' }, { 'retry-after': '0.01' })
    }
    await (await lease()).release()
    const keys = sent('POST /v1/leases').map(({ body }) => JSON.parse(body).idempotencyKey)
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  test('a connection that broke is tried once more: the key finds the lease that may have been made', async () => {
    answers['POST /v1/leases'] = (request, response) =>
      request.index === 0 ? request.cut() : sendJson(response, 202, PENDING)
    await (await lease()).release()
    expect(sent('POST /v1/leases')).toHaveLength(2)
  })

  test.each([
    [429, 'quota_exhausted'],
    [403, 'pool_forbidden'],
    [422, 'cleanup_mode_unsupported'],
  ])('a %i %s is final', async (status, reason) => {
    answers['POST /v1/leases'] = (_, response) => sendJson(response, status, { error: 'no', reason })
    expect(await failureOf(lease())).toMatchObject({ code: 'refused', status, reason })
    expect(sent('POST /v1/leases')).toHaveLength(1)
  })
})

describe('waiting', () => {
  test('tells place and reason, and bears a server that restarts', async () => {
    const turns: ScriptedAnswer[] = [
      (_, response) => sendJson(response, 200, PENDING),
      (request) => request.cut(),
      (_, response) => sendJson(response, 503, { error: 'starting', reason: 'starting' }),
    ]
    answers[`GET /v1/leases/${ID}`] = (request, response) =>
      (turns.shift() ?? (() => sendJson(response, 200, BOUND)))(request, response)
    const places: unknown[] = []
    const cluster = await lease({ onWaiting: ({ queue_position, reason }) => places.push([queue_position, reason]) })
    expect(places).toEqual([[2, 'AllLeased']])
    await cluster.release()
  })

  test.each([
    ['its time is over', { waitTimeoutMs: 1 }, 'timeout'],
    ['the lease ends', {}, 'ended'],
  ] as const)('a request is given up when %s', async (_title, options, code) => {
    const phase = code === 'ended' ? 'Expired' : 'Pending'
    answers[`GET /v1/leases/${ID}`] = (_, response) => sendJson(response, 200, { ...PENDING, phase })
    expect((await failureOf(lease(options))).code).toBe(code)
    expect(sent(`DELETE /v1/leases/${ID}`)).toHaveLength(1)
  })

  test('a server that does not wait with its client is asked once a second', async () => {
    answers[`GET /v1/leases/${ID}`] = (_, response) => sendJson(response, 200, PENDING)
    await failureOf(lease({ waitTimeoutMs: 1_500 }))
    expect(sent(`GET /v1/leases/${ID}`).length).toBeLessThanOrEqual(2)
  })

  test('a request is given up when its signal aborts', async () => {
    const abort = new AbortController()
    answers[`GET /v1/leases/${ID}`] = () => abort.abort(new Error('enough'))
    await expect(lease({ signal: abort.signal })).rejects.toThrow('enough')
    expect(sent(`DELETE /v1/leases/${ID}`)).toHaveLength(1)
  })

  test('an abort while the request is on its way waits for the answer, which names what to release', async () => {
    const abort = new AbortController()
    answers['POST /v1/leases'] = (_, response) => {
      abort.abort(new Error('enough'))
      sendJson(response, 202, PENDING)
    }
    await expect(lease({ signal: abort.signal })).rejects.toThrow('enough')
    expect(sent(`DELETE /v1/leases/${ID}`)).toHaveLength(1)
  })
})

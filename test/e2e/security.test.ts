/**
 * Every route of the API against callers who should not get in, and everything the product puts out against every secret that
 * was made. The product itself runs: host, operator and a real cluster.
 */
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { EVENTS, SECRETS } from '../../src/api/core-resources.ts'
import { type AccessRule, CLUSTER_VERBS } from '../../src/api/v1alpha1/access-policy.ts'
import { withAccessPolicyDefaults } from '../../src/api/v1alpha1/defaults.ts'
import {
  ACCESS_POLICIES,
  CLUSTER_INSTANCES,
  CLUSTER_LEASES,
  CLUSTER_POOLS,
  MANAGED_CLUSTERS,
  NODE_OPERATIONS,
} from '../../src/api/v1alpha1/resources.ts'
import { type ClosableKubeClient, createKubeClient } from '../../src/kube/kube-client.ts'
import { checkAnswer, type OpenApiDocument } from '../support/answer-check.ts'
import { createTestKobe, ON_REAL_HOST, type TestKobe } from '../support/kobe.ts'
import { eventually } from '../support/run.ts'
import { say } from '../support/say.ts'

const NAMESPACE = 'kobe-system'
const ALICE = 'token-of-alice-4d1f'
const BOB = 'token-of-bob-8c27'
const NOBODY = 'token-of-nobody-77aa'
const KEY = 'idempotency-key-of-alice-51'
const POOL = 'ci-small'
const CLUSTER = 'prod-1'
const CLUSTER_TOKEN = 'token-of-the-standing-cluster-e3b0'

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of any route
  readonly body: any
  /** Status, headers and body, but for what differs each time. */
  readonly text: string
}

let kobe: TestKobe
let host: ClosableKubeClient
let endpoint: string
let adminToken: string
let document: OpenApiDocument
let lease: { id: string; kubeconfig: string; cluster_name: string }
/** On the standing cluster, which nobody can reach: its credential goes through every failure. */
let operation: string
/** Everything that came out, but for the kubeconfig that Alice may have. */
const seen: string[] = []

function send(method: string, path: string, token?: string, body?: object): Promise<Answer> {
  const data = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(data === undefined ? {} : { 'content-type': 'application/json' }),
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, endpoint), { method, headers }, (incoming) => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', (chunk) => {
        text += chunk
        // A stream of events goes on for ever; its first event says enough.
        if (path.endsWith('/events') && incoming.statusCode === 200) incoming.destroy()
      })
      incoming.once('close', () => {
        const status = incoming.statusCode ?? 0
        const { 'x-request-id': _id, date: _date, ...rest } = incoming.headers
        const contentType = rest['content-type'] ?? ''
        const misfit = checkAnswer({ method, url: path, status, contentType, text })
        if (misfit !== undefined) reject(new Error(misfit))
        const parsed = contentType.includes('json') && text !== '' ? JSON.parse(text) : text
        resolve({ status, body: parsed, text: JSON.stringify([status, rest, parsed]) })
      })
    })
    outgoing.once('error', reject)
    outgoing.end(data)
  })
}

/** Sends, and keeps what came back. */
async function show(...args: Parameters<typeof send>): Promise<Answer> {
  const answer = await send(...args)
  seen.push(answer.text)
  return answer
}

/** As somebody would send it. */
const clusterKubeconfig = (): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token: CLUSTER_TOKEN } }],
  })

const standingCluster = (name: string): object => ({
  name,
  kubeconfig: clusterKubeconfig(),
  provider: { type: 'simulated', simulated: {} },
  nodeGroups: [{ name: 'workers', type: 'worker', settings: { offering: 'small' } }],
})

async function principal(name: string, token: string, rule: Pick<AccessRule, 'pools' | 'clusters'>): Promise<void> {
  const metadata = { name, namespace: NAMESPACE }
  const data = { token: Buffer.from(token).toString('base64') }
  await host.create(SECRETS, { metadata: { ...metadata, name: `${name}-token` }, data })
  await host.create(
    ACCESS_POLICIES,
    withAccessPolicyDefaults({
      metadata,
      spec: {
        auth: { token: { secretRef: `${name}-token` } },
        rules: [{ ...rule, maxTtl: '4h', maxConcurrentLeases: 2 }],
      },
    }),
  )
  await eventually(`${name} is known`, 20_000, async () => (await send('GET', '/v1/leases', token)).status === 200)
}

beforeAll(async () => {
  kobe = createTestKobe()
  Object.assign(kobe.env, { KOBE_LOG_LEVEL: 'debug' })
  await kobe.up()
  const client = JSON.parse(readFileSync(join(kobe.stateDir, 'client.json'), 'utf8'))
  endpoint = client.endpoint
  adminToken = client.token
  host = createKubeClient({ kubeconfigPath: kobe.hostKubeconfig })
  await principal('alice', ALICE, { pools: ['*'], clusters: [{ names: ['*'], verbs: [...CLUSTER_VERBS] }] })
  await principal('bob', BOB, { pools: ['other-*'], clusters: [{ names: ['other-*'], verbs: [...CLUSTER_VERBS] }] })
  document = (await send('GET', '/openapi.json')).body
  const body = { profile: POOL, ttl: '1h', alias: 'mine', diagnostics: true, idempotencyKey: KEY }
  const asked = await show('POST', '/v1/leases', ALICE, body)
  expect(asked.status).toBe(202)
  lease = await eventually('the lease is bound', 60_000, async () => {
    const { body: found } = await send('GET', `/v1/leases/${asked.body.id}?wait=10s`, ALICE)
    return found.kubeconfig !== undefined && found
  })
  expect((await show('POST', '/v1/clusters', ALICE, standingCluster(CLUSTER))).status).toBe(201)
  const begun = await show('POST', '/v1/operations', ALICE, { cluster: CLUSTER, type: 'Stop' })
  expect(begun.status).toBe(202)
  operation = begun.body.name
}, 150_000)
afterAll(async () => {
  host?.close()
  await kobe.dispose()
})

interface Route {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly guarded: boolean
  /** A body with which the request would do something. */
  readonly body: object | undefined
}
const BODIES: Readonly<Record<string, object>> = {
  'POST /v1/leases': { profile: POOL },
  'PATCH /v1/leases/{id}': { extend_ttl: '1m' },
  'POST /v1/clusters': standingCluster('prod-2'),
  'PATCH /v1/clusters/{name}/settings': { groups: { workers: { offering: 'large' } } },
  'POST /v1/clusters/{name}/plan': {},
  'POST /v1/operations': { cluster: CLUSTER, type: 'Stop' },
}
interface Subject {
  readonly existing: string
  readonly missing: string
  /** What another principal is told of either. */
  readonly refusal: readonly [status: number, reason: string]
}
/** Whose name or id the path has. */
function subjectOf(path: string): Subject {
  if (path.startsWith('/v1/pools')) return { existing: POOL, missing: 'nothing', refusal: [403, 'pool_forbidden'] }
  if (path.startsWith('/v1/clusters'))
    return { existing: CLUSTER, missing: 'nothing', refusal: [404, 'cluster_not_found'] }
  if (path.startsWith('/v1/operations'))
    return { existing: operation, missing: 'nothing', refusal: [404, 'operation_not_found'] }
  return { existing: lease.id, missing: 'lease-000000000000', refusal: [404, 'lease_not_found'] }
}
const routes = (): Route[] =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const method = verb.toUpperCase()
      const name = `${method} ${path}`
      return { name, method, path, guarded: 'security' in operation, body: BODIES[name] }
    }),
  )
const at = (path: string, id: string): string => path.replace(/\{\w+\}/, id)
const stillBound = async (): Promise<string> => (await send('GET', `/v1/leases/${lease.id}`, ALICE)).body.phase

describe('every route', () => {
  test('that needs a credential answers 401 without one and with a wrong one, the same for what exists and what does not', async () => {
    const guarded = routes().filter((route) => route.guarded)
    expect(guarded.length).toBeGreaterThan(24)
    for (const { name, method, path, body } of guarded) {
      const answers: string[] = []
      const { existing, missing } = subjectOf(path)
      for (const id of [existing, missing]) {
        for (const token of [undefined, NOBODY, `${ALICE}x`, ALICE.slice(0, -1)]) {
          const answer = await show(method, at(path, id), token, body)
          expect([name, answer.status, answer.body.reason]).toEqual([name, 401, 'unauthorized'])
          if (token !== undefined) answers.push(answer.text)
        }
      }
      expect(new Set(answers).size, name).toBe(1)
    }
    expect(await stillBound()).toBe('Bound')
    say(`${guarded.length} routes answer 401 to strangers`)
  })

  test("tells another principal of Alice's lease, and of a pool or cluster it may not use, what it tells of one that does not exist", async () => {
    const compared: string[] = []
    for (const { name, method, path, guarded, body } of routes()) {
      if (!guarded) continue
      if (!path.includes('{')) continue
      const { existing, missing, refusal } = subjectOf(path)
      const there = await show(method, at(path, existing), BOB, body)
      const nowhere = await show(method, at(path, missing), BOB, body)
      expect([name, there.status, there.body.reason]).toEqual([name, ...refusal])
      const sameText = ({ text }: Answer, id: string) =>
        text.replaceAll(id, 'THAT').replace(/"content-length":"\d+",?/, '')
      expect(sameText(there, existing), name).toBe(sameText(nowhere, missing))
      compared.push(name)
    }
    const asked = await Promise.all([POOL, 'nothing'].map((profile) => show('POST', '/v1/leases', BOB, { profile })))
    expect(asked.map(({ status, body }) => [status, body.reason])).toEqual(
      [POOL, 'nothing'].map(() => [403, 'pool_forbidden']),
    )
    expect((await show('GET', '/v1/leases', BOB)).body).toEqual([])
    expect((await show('GET', '/v1/leases?alias=mine', BOB)).body).toEqual([])
    expect((await show('GET', '/v1/pools', BOB)).body).toEqual([])
    expect((await show('GET', '/v1/clusters', BOB)).body).toEqual({ clusters: [] })
    for (const query of ['', `?cluster=${CLUSTER}`])
      expect((await show('GET', `/v1/operations${query}`, BOB)).body).toEqual({ operations: [] })
    const onClusters = await Promise.all(
      [CLUSTER, 'nothing'].flatMap((cluster) => [
        show('POST', '/v1/operations', BOB, { cluster, type: 'Stop' }),
        show('POST', '/v1/clusters', BOB, standingCluster(cluster)),
      ]),
    )
    expect(onClusters.map(({ status, body }) => [status, body.reason])).toEqual(
      [CLUSTER, 'nothing'].flatMap(() => [
        [404, 'cluster_not_found'],
        [403, 'cluster_forbidden'],
      ]),
    )
    expect((await send('GET', `/v1/operations/${operation}`, ALICE)).body.cancelRequested).toBe(false)
    expect(await stillBound()).toBe('Bound')
    say(`${compared.length} routes tell Bob nothing: ${compared.join(', ')}`)
  })

  test('that is open tells strangers nothing of leases and principals', async () => {
    for (const { name, method, path, guarded } of routes()) {
      if (guarded) continue
      const { text } = await show(method, path)
      for (const word of [lease.id, lease.cluster_name, operation, 'kubeconfig:', 'mine"'])
        expect(text, name).not.toContain(word)
    }
  })

  test('lets a caller into a cluster with the token of its lease only', async () => {
    const { clusters, users } = parse(lease.kubeconfig)
    const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64')
    const statusWith = (token: string | undefined): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
        const outgoing = httpsRequest(`${clusters[0].cluster.server}/version`, { ca, headers, agent: false })
        outgoing.on('response', (incoming) => {
          incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0))
        })
        outgoing.on('error', reject)
        outgoing.end()
      })
    for (const token of [undefined, NOBODY, BOB, ALICE, adminToken]) expect(await statusWith(token)).toBe(401)
    expect(await statusWith(users[0].user.token)).toBe(200)
  })
})

describe('what comes out', () => {
  /** Every secret that was made: those of callers, of the lease, of the clusters and of the host. */
  async function secretsMade(): Promise<Map<string, string>> {
    const made = new Map([
      ['the token of Alice', ALICE],
      ['the token of Bob', BOB],
      ['a wrong token', NOBODY],
      ['the token of the standing cluster', CLUSTER_TOKEN],
      ['the token of the administrator', adminToken],
      ['an idempotency key', KEY],
      ['the token of the lease', parse(lease.kubeconfig).users[0].user.token],
    ])
    const { items } = await host.list(SECRETS, { namespace: NAMESPACE })
    for (const { metadata, data = {} } of items) {
      for (const [key, value] of Object.entries(data)) {
        const text = Buffer.from(value, 'base64').toString()
        const credentials = key === 'kubeconfig' || text.includes('kind: Config') ? credentialsIn(text) : [text]
        for (const [index, secret] of credentials.entries()) made.set(`${metadata.name}/${key}/${index}`, secret)
      }
    }
    // Whose host it is, that is not ours to hide.
    if (!ON_REAL_HOST) {
      const file = readFileSync(kobe.hostKubeconfig, 'utf8')
      for (const [index, secret] of credentialsIn(file).entries()) made.set(`host.kubeconfig/${index}`, secret)
    }
    return made
  }

  function credentialsIn(kubeconfig: string): string[] {
    const { users } = parse(kubeconfig) as { users: { user: Record<string, string> }[] }
    return users.flatMap(({ user }) => [user['token'], user['client-key-data']]).filter((one) => one !== undefined)
  }

  /** As it is, in base64, decoded where it is base64 itself, and the heart of a key. */
  const formsOf = (secret: string): string[] => {
    const decoded = Buffer.from(secret, 'base64').toString()
    const heart = /-----\n([A-Za-z0-9+/=]{40,})/.exec(decoded)?.[1]
    return [
      secret,
      Buffer.from(secret).toString('base64'),
      encodeURIComponent(secret),
      ...(heart === undefined ? [] : [heart]),
    ]
  }

  test('holds no secret: answers, log, metrics, Events, the objects of the host, the diagnostics', async () => {
    const made = await secretsMade()
    const id = lease.id
    for (const [method, path, body] of [
      ['GET', '/v1/leases'],
      ['GET', `/v1/pools/${POOL}`],
      ['GET', `/v1/pools/${POOL}/plan`],
      ['GET', `/v1/pools/${POOL}/explain`],
      ['GET', `/v1/pools/${POOL}/leases`],
      ['GET', '/v1/status'],
      ['POST', `/v1/leases/${id}/heartbeat`],
      ['PATCH', `/v1/leases/${id}`, { extend_ttl: '1m' }],
      ['GET', '/v1/clusters'],
      ['GET', `/v1/clusters/${CLUSTER}`],
      ['GET', `/v1/clusters/${CLUSTER}/plan`],
      ['PATCH', `/v1/clusters/${CLUSTER}/settings`, { groups: { workers: { offering: 'large' } } }],
      ['POST', '/v1/operations', { cluster: CLUSTER, type: 'Rollout' }],
      ['GET', `/v1/operations/${operation}`],
      ['GET', `/v1/operations/${operation}/events`],
      ['GET', `/v1/operations/${operation}/explain`],
      ['POST', `/v1/operations/${operation}/cancel`],
      ['DELETE', `/v1/leases/${id}`],
    ] as const) {
      await show(method, path, ALICE, body)
    }
    const bundle = await eventually('the diagnostics are there, and the lease is gone', 60_000, async () => {
      const gone = (await send('GET', `/v1/leases/${id}`, ALICE)).status === 404
      const answer = await show('GET', `/v1/leases/${id}/diagnostics/bundle`, ALICE)
      return gone && answer.status === 200 && answer.body
    })
    expect(bundle).toMatchObject({ lease_id: id, cluster_name: lease.cluster_name })
    expect(bundle.resources.namespaces.length).toBeGreaterThan(2)
    expect((await show('GET', `/v1/leases/${id}/diagnostics/bundle`, BOB)).status).toBe(404)
    await show('GET', '/metrics')
    const objects = await Promise.all([
      host.list(EVENTS),
      host.list(ACCESS_POLICIES),
      host.list(CLUSTER_LEASES),
      host.list(CLUSTER_INSTANCES),
      host.list(CLUSTER_POOLS),
      host.list(MANAGED_CLUSTERS),
      host.list(NODE_OPERATIONS),
    ])
    const [events] = objects
    expect(events.items.length).toBeGreaterThan(0)
    const log = kobe.log()
    expect(log).toContain(id)
    const places: [string, string][] = [
      ...seen.map((text): [string, string] => ['an answer', text]),
      ['the log', log],
      ...objects.map(({ items }, index): [string, string] => [`objects, list ${index}`, JSON.stringify(items)]),
    ]
    const found = [...made].flatMap(([name, secret]) =>
      places
        .filter(([, text]) => formsOf(secret).some((form) => form.length > 5 && text.includes(form)))
        .map(([place]) => `${name} in ${place}`),
    )
    expect(made.size).toBeGreaterThan(8)
    expect(found).toEqual([])
    const size = places.reduce((sum, [, text]) => sum + text.length, 0)
    say(`${made.size} secrets, none of them in ${places.length} outputs of ${Math.round(size / 1000)} kB`)
  })
})

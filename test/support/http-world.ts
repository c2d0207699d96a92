/** The HTTP app over objects in memory, with real informers; the controllers are played by the test. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { SECRETS } from '../../src/api/core-resources.ts'
import type { KubeObject, ResourceType } from '../../src/api/resource.ts'
import { formatTimestamp } from '../../src/api/timestamp.ts'
import { type AccessPolicy, type AccessRule, CLUSTER_VERBS } from '../../src/api/v1alpha1/access-policy.ts'
import type { ClusterInstance } from '../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease, LeaseBinding, LeaseStatus } from '../../src/api/v1alpha1/cluster-lease.ts'
import type { ClusterPool, PoolStatus } from '../../src/api/v1alpha1/cluster-pool.ts'
import {
  ACCESS_POLICIES,
  CLUSTER_INSTANCES,
  CLUSTER_LEASES,
  CLUSTER_POOLS,
  MANAGED_CLUSTERS,
  NODE_OPERATIONS,
} from '../../src/api/v1alpha1/resources.ts'
import type { LeaseObserved } from '../../src/core/lease/observed.ts'
import type { ClusterInsight } from '../../src/core/nodes/cluster-insight.ts'
import { withSettings } from '../../src/core/nodes/store-settings.ts'
import type { PoolObserved } from '../../src/core/pool/observed.ts'
import { createApp } from '../../src/http/app.ts'
import type { Caches, HttpDeps } from '../../src/http/deps.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { createInformer, type Informer } from '../../src/kube/informer.ts'
import { type Log, silentLog } from '../../src/kube/log.ts'
import { checkAnswer } from './answer-check.ts'
import { createMemoryKube, type MemoryKube } from './memory-kube.ts'

export const NAMESPACE = 'kobe-system'
export const TOKEN = 'token-of-ci'

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

/** The app over any API server. */
export interface HttpWorldOver<Client extends KubeClient> extends AsyncDisposable {
  readonly kube: Client
  readonly app: FastifyInstance
  readonly logs: LogLine[]
  readonly registry: Registry
  /** Another app over the same objects: a second replica. */
  replica(): Promise<FastifyInstance>
  pool(
    name: string,
    changes?: { spec?: Partial<ClusterPool['spec']>; status?: Partial<PoolStatus> },
  ): Promise<ClusterPool>
  policy(name: string, token: string, rule?: Partial<AccessRule>): Promise<AccessPolicy>
  instance(pool: string, index: number): Promise<ClusterInstance>
  /** Plays the operator: binds the lease to a new instance, as two fenced writes would. */
  bind(leaseName: string, options?: { ttlMs?: number }): Promise<ClusterLease>
  setLeaseStatus(leaseName: string, status: Partial<LeaseStatus>): Promise<ClusterLease>
  /** Sends a request as the holder of `TOKEN`. */
  call(method: string, url: string, body?: unknown, headers?: Record<string, string>): Promise<HttpAnswer>
  /** Resolves when the caches hold every write made so far. */
  synced(): Promise<void>
}

export type HttpWorld = HttpWorldOver<MemoryKube>

export interface HttpAnswer {
  readonly status: number
  readonly headers: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any
}

export interface WorldOptions {
  readonly deps?: Partial<HttpDeps>
  /** Without the policy `ci` (token `TOKEN`, every pool, three leases). */
  readonly bare?: boolean
}

export async function createHttpWorld(options: WorldOptions = {}): Promise<HttpWorld> {
  const kube = createMemoryKube()
  return await createHttpWorldOver(kube, () => kube.replica(), options)
}

/** `replicaClient` makes the client of each further app. */
export async function createHttpWorldOver<Client extends KubeClient>(
  kube: Client,
  replicaClient: () => KubeClient,
  options: WorldOptions = {},
): Promise<HttpWorldOver<Client>> {
  const logs: LogLine[] = []
  const log = recordingLog(logs)
  const registry = new Registry()
  const stop = new AbortController()
  const informers: Cached[] = []
  const misfits: string[] = []
  const cacheOf = async <T extends KubeObject>(client: KubeClient, type: ResourceType<T>): Promise<Informer<T>> => {
    const informer = createInformer(client, type, { log })
    informers.push({ type, informer: informer as Informer<KubeObject> })
    await informer.start(stop.signal)
    return informer
  }
  const appOver = async (client: KubeClient, metrics: Registry): Promise<FastifyInstance> => {
    const caches = {
      pools: await cacheOf(client, CLUSTER_POOLS),
      instances: await cacheOf(client, CLUSTER_INSTANCES),
      leases: await cacheOf(client, CLUSTER_LEASES),
      policies: await cacheOf(client, ACCESS_POLICIES),
      secrets: await cacheOf(client, SECRETS),
      clusters: await cacheOf(client, MANAGED_CLUSTERS),
      operations: await cacheOf(client, NODE_OPERATIONS),
    }
    const made = createApp({
      client,
      caches,
      observePool: (name) => observed(caches, name),
      observeLease: async (name) => observedLease(caches, name),
      clock: systemClock,
      log,
      namespace: NAMESPACE,
      version: '0.1.0-test',
      publicUrl: () => 'https://kobe.example:7443',
      caPem: 'TEST CA\n',
      random: { hex: (bytes) => randomBytes(bytes).toString('hex'), uuid: () => randomUUID() },
      guestKubeconfig: async () => undefined,
      insight: QUIET_INSIGHT,
      registry: metrics,
      ...options.deps,
    })
    checkAnswers(made, misfits)
    return made
  }
  const app = await appOver(kube, registry)
  const extra: FastifyInstance[] = []
  const world: HttpWorldOver<Client> = {
    kube,
    app,
    logs,
    registry,
    async replica() {
      const other = await appOver(replicaClient(), new Registry())
      extra.push(other)
      return other
    },
    pool: (name, changes = {}) => makePool(kube, name, changes),
    policy: (name, token, rule = {}) => makePolicy(kube, name, token, rule),
    instance: (pool, index) => makeInstance(kube, pool, index),
    bind: (leaseName, { ttlMs = 3_600_000 } = {}) => bindLease(kube, leaseName, ttlMs),
    setLeaseStatus: (name, status) =>
      kube.patch(
        CLUSTER_LEASES,
        { name, namespace: NAMESPACE },
        { type: 'merge', body: { status } },
        { subresource: 'status' },
      ),
    async call(method, url, body, headers = {}) {
      const response = await app.inject({
        method: method as 'GET',
        url,
        headers: { authorization: `Bearer ${TOKEN}`, ...headers },
        ...(body === undefined ? {} : { payload: body as object }),
      })
      const isJson = String(response.headers['content-type'] ?? '').includes('json')
      return { status: response.statusCode, headers: response.headers, body: isJson ? response.json() : response.body }
    },
    async synced() {
      await Promise.all(informers.map((informer) => untilSame(kube, informer)))
    },
    async [Symbol.asyncDispose]() {
      for (const one of [app, ...extra]) await one.close()
      stop.abort()
      await Promise.all(informers.map(({ informer }) => informer.stopped()))
      // Every answer of every test is one that the document describes.
      if (misfits.length > 0) throw new Error(misfits.join('\n'))
    },
  }
  if (options.bare !== true) await world.policy('ci', TOKEN)
  await world.synced()
  return world
}

interface Cached {
  readonly type: ResourceType<KubeObject>
  readonly informer: Informer<KubeObject>
}

/** Resolves when the cache holds what the API server does. */
async function untilSame(kube: KubeClient, { type, informer }: Cached): Promise<void> {
  const versions = (objects: readonly KubeObject[]): string =>
    objects
      .map(({ metadata }) => `${metadata.uid} ${metadata.resourceVersion}`)
      .sort()
      .join()
  const deadline = performance.now() + 10_000
  for (;;) {
    const { items } = await kube.list(type, {})
    if (versions(items) === versions(informer.list())) return
    if (performance.now() > deadline) throw new Error(`the cache of ${type.plural} is not what the API server holds`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** Clusters of which nothing is to be said. */
export const QUIET_INSIGHT: ClusterInsight = {
  nodes: async () => [],
  judgeSettings: async ({ spec }, { settings }) => {
    const { nodeGroups, problems } = withSettings(spec.nodeGroups, settings)
    return { nodeGroups, refusals: problems }
  },
  plan: async (cluster) => ({
    cluster: cluster.metadata.name ?? '',
    state: cluster.status?.state ?? 'Created',
    groups: [],
    batches: [],
    leftOut: [],
    totalNodes: 0,
    estimateMs: 0,
    estimateBasis: 'nothing was measured',
    notes: [],
  }),
}

function checkAnswers(app: FastifyInstance, misfits: string[]): void {
  app.addHook('onSend', async (request, reply, payload) => {
    const misfit = checkAnswer({
      method: request.method,
      url: request.raw.url ?? '',
      status: reply.statusCode,
      contentType: String(reply.getHeader('content-type') ?? ''),
      text: typeof payload === 'string' ? payload : '',
    })
    if (misfit !== undefined) misfits.push(misfit)
    return payload
  })
}

/** What the pool controller would see, with a backend that can do nothing special. */
function observed({ pools, instances, leases }: Caches, name: string): PoolObserved | undefined {
  const pool = pools.get(NAMESPACE, name)
  if (pool === undefined) return undefined
  const hash = pool.status?.currentSpecHash
  return {
    pool,
    instances: instances.list().filter(({ spec }) => spec.poolRef?.name === name),
    leases: leases.list().filter(({ spec }) => spec.poolRef === name),
    specHash:
      hash === undefined
        ? { state: 'unreadable', reason: 'NotObserved', message: 'not observed' }
        : { state: 'known', hash, version: 1 },
    capabilities: { gates: new Set(), runsBootstrapJobs: true, maxConcurrentCreates: 4 },
    expectationsMet: true,
  }
}

/** What the lease controller would see, with a policy as `ci` has it. */
function observedLease({ pools, instances, leases }: Caches, name: string): LeaseObserved | undefined {
  const lease = leases.get(NAMESPACE, name)
  if (lease === undefined) return undefined
  const pool = lease.spec.poolRef
  const bound = instances.get(NAMESPACE, lease.status?.binding?.instance.name ?? '')
  return {
    lease,
    pool: pools.get(NAMESPACE, pool),
    pending: leases
      .list()
      .filter(({ spec, status }) => spec.poolRef === pool && (status?.phase ?? 'Pending') === 'Pending'),
    instances: instances.list().filter(({ spec }) => spec.poolRef?.name === pool),
    bound: bound === undefined ? { state: 'none' } : { state: 'found', instance: bound },
    probes: new Map(),
    lastServed: new Map(),
    supportsVerifiedDestroy: false,
    policy: { maxTtlMs: 4 * 3_600_000, maxExtensions: 2 },
    connectTokenExists: true,
    bindingId: randomUUID(),
  }
}

function recordingLog(lines: LogLine[]): Log {
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, fields: fields as Record<string, unknown> })
  }
  const log: Log = {
    ...silentLog,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  }
  return log
}

async function makePool(
  kube: KubeClient,
  name: string,
  { spec = {}, status }: { spec?: Partial<ClusterPool['spec']>; status?: Partial<PoolStatus> },
): Promise<ClusterPool> {
  const object = {
    metadata: { name, namespace: NAMESPACE },
    spec: {
      size: 2,
      ttl: '2h',
      backend: { type: 'embedded' },
      cluster: { version: 'v1.36.0', servers: 1, serverArgs: [] },
      addons: [],
      bootstraps: [],
      readinessGates: [],
      ...spec,
    },
  }
  const created = await kube.create(CLUSTER_POOLS, object as ClusterPool)
  if (status === undefined) return created
  const ref = { name, namespace: NAMESPACE }
  const counters = { ready: 0, leased: 0, creating: 0, recycling: 0, unhealthy: 0, quarantined: 0, queueDepth: 0 }
  const body = { status: { ...counters, consecutiveFailures: 0, ...status } }
  return await kube.patch(CLUSTER_POOLS, ref, { type: 'merge', body }, { subresource: 'status' })
}

async function makePolicy(
  kube: KubeClient,
  name: string,
  token: string,
  rule: Partial<AccessRule>,
): Promise<AccessPolicy> {
  await kube.create(SECRETS, {
    metadata: { name: `${name}-token`, namespace: NAMESPACE },
    data: { token: Buffer.from(token).toString('base64') },
  })
  return await kube.create(ACCESS_POLICIES, {
    metadata: { name, namespace: NAMESPACE },
    spec: {
      auth: { token: { secretRef: `${name}-token` } },
      identity: '{sub}',
      rules: [
        {
          pools: ['*'],
          maxTtl: '4h',
          maxConcurrentLeases: 3,
          maxExtensions: 2,
          clusters: [{ names: ['*'], verbs: [...CLUSTER_VERBS] }],
          ...rule,
        },
      ],
    },
  })
}

async function makeInstance(kube: KubeClient, pool: string, index: number): Promise<ClusterInstance> {
  return await kube.create(CLUSTER_INSTANCES, {
    metadata: { name: `pool-${pool}-${index}`, namespace: NAMESPACE, labels: { 'kobe.kunobi.ninja/pool': pool } },
    spec: { poolRef: { name: pool }, addons: [], bootstraps: [], readinessGates: [] },
  })
}

let instances = 0

async function bindLease(kube: KubeClient, leaseName: string, ttlMs: number): Promise<ClusterLease> {
  const ref = { name: leaseName, namespace: NAMESPACE }
  const lease = await kube.get(CLUSTER_LEASES, ref)
  instances += 1
  const instance = await makeInstance(kube, lease.spec.poolRef, instances)
  const name = instance.metadata.name!
  const binding: LeaseBinding = {
    bindingId: randomUUID(),
    lease: { name: leaseName, uid: lease.metadata.uid! },
    instance: { name, uid: instance.metadata.uid!, observedGeneration: 1 },
    pool: { name: lease.spec.poolRef, uid: 'pool-uid' },
    backend: { type: 'embedded', configDigest: '0'.repeat(64) },
    instanceSpecDigest: '0'.repeat(16),
  }
  const instanceStatus = { phase: 'Leased', leaseRef: binding.lease, binding }
  await kube.patch(
    CLUSTER_INSTANCES,
    { name, namespace: NAMESPACE },
    { type: 'merge', body: { status: instanceStatus } },
    { subresource: 'status' },
  )
  const status: Partial<LeaseStatus> = {
    phase: 'Bound',
    clusterName: name,
    binding,
    boundAt: formatTimestamp(Date.now()),
    expiresAt: new Date(Date.now() + ttlMs).toISOString(),
    queuePosition: 0,
    extensionsCount: 0,
    maxExtensions: 2,
  }
  return await kube.patch(CLUSTER_LEASES, ref, { type: 'merge', body: { status } }, { subresource: 'status' })
}

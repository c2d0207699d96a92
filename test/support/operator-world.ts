/**
 * The controllers of the operator over a real API server, with a backend in memory. A host is shared by the tests of a file;
 * each world has a namespace of its own in it. The test is the user: it writes with a client of its own and waits for
 * states through informers of its own, so nothing it sees comes from the memory of the operator.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { Registry } from 'prom-client'
import { NAMESPACES, SECRETS } from '../../src/api/core-resources.ts'
import type { ClusterInstance } from '../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease, ClusterLeaseInput } from '../../src/api/v1alpha1/cluster-lease.ts'
import type { ClusterPool, ClusterPoolInput } from '../../src/api/v1alpha1/cluster-pool.ts'
import { customResourceDefinitions } from '../../src/api/v1alpha1/crds.ts'
import { withClusterLeaseDefaults, withClusterPoolDefaults } from '../../src/api/v1alpha1/defaults.ts'
import { CLUSTER_INSTANCES, CLUSTER_LEASES, CLUSTER_POOLS } from '../../src/api/v1alpha1/resources.ts'
import type { Backend, BackendRenderer } from '../../src/backends/backend.ts'
import { createFakeBackend, type FakeBackend, type FakeBackendOptions } from '../../src/backends/fake/fake-backend.ts'
import type { ControllerCaches, ControllerDeps } from '../../src/controllers/deps.ts'
import { releasedStatus } from '../../src/core/lease/lease-status.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { installCustomResources } from '../../src/kube/install-custom-resources.ts'
import { type Log, silentLog } from '../../src/kube/log.ts'
import { createCaches, startCaches } from '../../src/operator-caches.ts'
import { createControllerDeps, runControllers } from '../../src/operator-controllers.ts'
import { createFaultyClient, type Fault, type FaultyClient } from './faulty-client.ts'
import { HOST_KINDS, type HostUnderTest } from './host-under-test.ts'
import { createPoolHistory, type PoolHistory } from './pool-history.ts'
import { SkippingClock } from './skipping-clock.ts'

export const BACKEND_TYPE = 'k3s'

export interface WorldHost {
  readonly client: KubeClient
  /** Of its administrator. */
  readonly kubeconfig: string
  stop(): Promise<void>
}

/** The embedded control plane, with our kinds. */
export async function startWorldHost(): Promise<WorldHost> {
  const kind = HOST_KINDS.find(({ isReal }) => !isReal)
  if (kind === undefined) throw new Error('there is no embedded host')
  const host: HostUnderTest = await kind.start()
  const client = host.client()
  await installCustomResources(client, customResourceDefinitions(), systemClock)
  return { client, kubeconfig: host.kubeconfig, stop: () => host.stop() }
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into fields of any shape
  readonly fields: Record<string, any>
}

/** One life of the operator process. */
export interface OperatorLife {
  readonly client: FaultyClient
  readonly deps: ControllerDeps
  readonly registry: Registry
  /** Aborts when this life is over. */
  readonly over: AbortSignal
  /** Ends it as a crash does: nothing it had begun goes on. */
  crash(): Promise<void>
}

export interface OperatorWorld extends AsyncDisposable {
  readonly namespace: string
  /** The client of the user. */
  readonly client: KubeClient
  readonly clock: SkippingClock
  readonly backend: FakeBackend
  readonly logs: LogLine[]
  /** Writes into `logs`. */
  readonly log: Log
  readonly history: PoolHistory
  /** What the user sees. */
  readonly caches: ControllerCaches
  /** The present life. */
  readonly operator: () => OperatorLife
  /** A new life, with empty caches and no memory. The one before must be over. */
  start(fault?: Fault, config?: LifeConfig): Promise<OperatorLife>
  makePool(name: string, spec?: Partial<ClusterPoolInput['spec']>): Promise<ClusterPool>
  patchPool(name: string, spec: object): Promise<ClusterPool>
  makeLease(pool: string, spec?: Partial<ClusterLeaseInput['spec']>): Promise<ClusterLease>
  /** As the HTTP API does it. */
  release(lease: string): Promise<void>
  /** Resolves with the first value that is not undefined or false; asked again at every change that the user sees. */
  until<T>(what: string, ask: () => T | undefined | false): Promise<T>
  pool(name: string): ClusterPool | undefined
  lease(name: string): ClusterLease | undefined
  instance(name: string): ClusterInstance | undefined
  members(pool: string): ClusterInstance[]
  /** Members in that phase. */
  inPhase(pool: string, phase: string): ClusterInstance[]
  /** Resolves when so many are Ready and nothing else of the pool exists. */
  untilWarm(pool: string, size: number): Promise<ClusterInstance[]>
  /** Resolves with the next line of that text. */
  untilLogged(message: string): Promise<LogLine>
  untilBound(lease: string): Promise<ClusterLease>
  /** Lets everything run that runs without time moving on. */
  quiet(): Promise<void>
}

/** How a life is configured. */
export interface LifeConfig {
  /** `KOBE_SYNC_IMAGE`. */
  readonly syncImage?: string
  readonly diagnostics?: ControllerDeps['diagnostics']
  /** For backends that this operator cannot run. */
  readonly renderers?: readonly BackendRenderer[]
}

export interface WorldOptions {
  /** Further backends, beside the one in memory of type `BACKEND_TYPE`. */
  readonly backends?: readonly Backend[]
  readonly backend?: Partial<FakeBackendOptions>
  readonly fault?: Fault
  /** Time stands still unless it is skipped. */
  readonly stepped?: boolean
  /** Runs no operator yet. */
  readonly idle?: boolean
  /** How long `until` waits. Milliseconds, default 20 000. */
  readonly patienceMs?: number
}

let worlds = 0
let leases = 0

export async function createOperatorWorld(host: WorldHost, options: WorldOptions = {}): Promise<OperatorWorld> {
  worlds += 1
  const namespace = `world-${worlds}`
  await host.client.create(NAMESPACES, { metadata: { name: namespace } })
  const clock = new SkippingClock({ stepped: options.stepped ?? false })
  const backend = Object.assign(createFakeBackend({ ...options.backend, clock }), { type: BACKEND_TYPE })
  const logs: LogLine[] = []
  const lines = createChanges()
  const log = recordingLog(logs, lines.tell)
  const end = new AbortController()
  const history = createPoolHistory()
  const caches = createCaches({ client: host.client, namespace, clock: systemClock, log: silentLog })
  const changes = createChanges()
  caches.instances.on((change) => history.record(change))
  for (const informer of [caches.pools, caches.instances, caches.leases, caches.secrets]) informer.on(changes.tell)
  await startCaches(caches, end.signal)
  let life: OperatorLife | undefined
  const client = host.client

  const world: OperatorWorld = {
    namespace,
    client,
    clock,
    backend,
    logs,
    log,
    history,
    caches,
    operator: () => {
      if (life === undefined) throw new Error('no operator was started')
      return life
    },
    async start(fault, config = {}) {
      const backends = [backend, ...(options.backends ?? [])]
      const common = { client, namespace, clock, backends, log, config }
      life = await startLife({ ...common, ...(fault === undefined ? {} : { fault }) })
      return life
    },
    makePool: (name, spec = {}) =>
      client.create(
        CLUSTER_POOLS,
        withClusterPoolDefaults({
          metadata: { name, namespace },
          spec: { size: 2, backend: { type: BACKEND_TYPE }, cluster: { version: 'v1.35.0' }, ...spec },
        }),
      ),
    patchPool: (name, spec) => client.patch(CLUSTER_POOLS, { name, namespace }, { type: 'merge', body: { spec } }),
    makeLease(pool, spec = {}) {
      leases += 1
      const name = `lease-${String(leases).padStart(12, '0')}`
      const requester = { type: 'ci', identity: 'ci' }
      return client.create(
        CLUSTER_LEASES,
        withClusterLeaseDefaults({
          metadata: { name, namespace },
          spec: { poolRef: pool, ttl: '1h', requester, ...spec },
        }),
      )
    },
    async release(name) {
      const ref = { name, namespace }
      const lease = await client.get(CLUSTER_LEASES, ref)
      const body = { status: releasedStatus(lease, clock.now()) }
      await client.patch(CLUSTER_LEASES, ref, { type: 'merge', body }, { subresource: 'status' })
    },
    until: (what, ask) => changes.until(ask, options.patienceMs ?? 20_000, () => `${what}; ${describeWorld(world)}`),
    pool: (name) => caches.pools.get(namespace, name),
    lease: (name) => caches.leases.get(namespace, name),
    instance: (name) => caches.instances.get(namespace, name),
    members: (pool) => caches.instances.byIndex('pool', pool),
    inPhase: (pool, phase) => world.members(pool).filter(({ status }) => (status?.phase ?? 'Creating') === phase),
    untilWarm: (pool, size) =>
      world.until(`${size} members of ${pool} are Ready and there are no others`, () => {
        const ready = world.inPhase(pool, 'Ready')
        return ready.length === size && world.members(pool).length === size && ready
      }),
    untilLogged(message) {
      const from = logs.length
      const ask = () => logs.slice(from).find((line) => line.message === message)
      return lines.until(ask, options.patienceMs ?? 20_000, () => `"${message}" was logged; ${describeWorld(world)}`)
    },
    untilBound: (name) =>
      world.until(`${name} is bound`, () => {
        const lease = world.lease(name)
        return lease?.status?.phase === 'Bound' && lease
      }),
    async quiet() {
      for (let calm = 0; calm < 12; ) {
        await new Promise((resolve) => setImmediate(resolve))
        calm = (life?.client.inFlight() ?? 0) === 0 ? calm + 1 : 0
      }
    },
    async [Symbol.asyncDispose]() {
      await life?.crash()
      end.abort()
      await backend.close()
    },
  }
  if (options.idle !== true) await world.start(options.fault)
  return world
}

interface LifeOptions {
  readonly client: KubeClient
  readonly namespace: string
  readonly clock: SkippingClock
  readonly backends: readonly Backend[]
  readonly config: LifeConfig
  readonly log: Log
  readonly fault?: Fault
}

async function startLife(options: LifeOptions): Promise<OperatorLife> {
  const { namespace, clock, backends, config, log, fault } = options
  const end = new AbortController()
  const client = createFaultyClient(options.client, {
    onDeath: () => end.abort(),
    ...(fault === undefined ? {} : { fault }),
  })
  const caches = createCaches({ client, namespace, clock: systemClock, log })
  const registry = new Registry()
  const random = { uuid: () => randomUUID(), hex: (bytes: number) => randomBytes(bytes).toString('hex') }
  const deps = createControllerDeps({
    client,
    identity: 'test',
    ...config,
    backends,
    caches,
    registry,
    random,
    clock,
    log,
  })
  await startCaches(caches, end.signal)
  const running = runControllers(deps, end.signal)
  return {
    client,
    deps,
    registry,
    over: end.signal,
    async crash() {
      client.die()
      deps.recorder.close()
      await running
    },
  }
}

interface Changes {
  tell(): void
  until<T>(ask: () => T | undefined | false, patienceMs: number, describe: () => string): Promise<T>
}

function createChanges(): Changes {
  const waiting = new Set<() => void>()
  return {
    tell: () => {
      for (const look of [...waiting]) look()
    },
    until: (ask, patienceMs, describe) =>
      new Promise((resolve, reject) => {
        const finish = (): void => {
          waiting.delete(look)
          clearTimeout(timer)
        }
        const look = (): void => {
          try {
            const answer = ask()
            if (answer === undefined || answer === false) return
            finish()
            resolve(answer)
          } catch (error) {
            finish()
            reject(error)
          }
        }
        const timer = setTimeout(() => {
          finish()
          reject(new Error(`after ${patienceMs} ms it is not the case that ${describe()}`))
        }, patienceMs)
        waiting.add(look)
        look()
      }),
  }
}

function describeWorld({ caches, logs, history }: OperatorWorld): string {
  const states = [...caches.instances.list(), ...caches.leases.list(), ...caches.pools.list()].map(
    ({ metadata, status }) =>
      `${metadata.name}: ${status?.phase ?? '-'}${metadata.deletionTimestamp ? ' (deleted)' : ''}`,
  )
  const trouble = logs.filter(({ level }) => level === 'error' || level === 'warn').slice(-5)
  const lines = trouble.map(({ message, fields }) => `${message} ${fields['key'] ?? ''} ${fields['err'] ?? ''}`)
  return [...states, ...lines, ...history.violations].join('; ')
}

function recordingLog(lines: LogLine[], tell: () => void, always: object = {}): Log {
  const write = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, message, fields: { ...always, ...fields } })
    tell()
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => recordingLog(lines, tell, { ...always, ...fields }),
  }
}

/** Of the Secrets of the namespace, those whose owner is the object of that name. */
export const secretsOf = ({ caches }: OperatorWorld, owner: string) =>
  caches.secrets.list().filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === owner))

export const SECRET_TYPE = SECRETS
export { CLUSTER_INSTANCES, CLUSTER_LEASES, CLUSTER_POOLS }

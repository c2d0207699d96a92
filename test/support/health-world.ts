/** A cluster for health checks: what a pass has gathered, a monitor, and a clock that stands still. */
import { SECRETS } from '../../src/api/core-resources.ts'
import type { KubeObject } from '../../src/api/resource.ts'
import { withManagedClusterDefaults } from '../../src/api/v1alpha1/defaults.ts'
import type { ManagedCluster, NodeHealthCheck, OperationHolder } from '../../src/api/v1alpha1/managed-cluster.ts'
import type { Sight } from '../../src/controllers/cluster/health/check.ts'
import {
  type CheckResult,
  createHealthMonitor,
  type HealthMonitor,
} from '../../src/controllers/cluster/health/monitor.ts'
import type { ClusterSession } from '../../src/controllers/cluster/sessions.ts'
import type { HealthFacts, Member } from '../../src/core/nodes/model.ts'
import { aMember } from '../../src/core/testing/node-builders.ts'
import type { Informer } from '../../src/kube/informer.ts'
import { silentLog } from '../../src/kube/log.ts'
import { FakeClock } from './fake-clock.ts'
import { createMemoryKube, type MemoryKube } from './memory-kube.ts'

export const NAMESPACE = 'kobe-system'

type CheckInput = Omit<NodeHealthCheck, 'http' | 'prometheus' | 'job'> & {
  http?: object
  prometheus?: object
  job?: object
}

export interface HealthWorld {
  readonly clock: FakeClock
  readonly kube: MemoryKube
  readonly monitor: HealthMonitor
  readonly told: string[]
  readonly checked: CheckResult[]
  /** What caches hold, by plural. */
  readonly objects: Map<string, KubeObject[]>
  /** Undefined: the API of the cluster cannot be reached. */
  session: ClusterSession | undefined
  members: readonly Member[]
  facts: Partial<Sight['facts']>
  holder: OperationHolder | undefined
  sight(check: CheckInput): Sight
  /** What is known now. */
  look(check: CheckInput): HealthFacts
  /** What is known after the try that this look began. */
  settled(check: CheckInput): Promise<HealthFacts>
  secret(name: string, data: Readonly<Record<string, string>>): Promise<void>
}

export const HOLDER: OperationHolder = {
  name: 'run',
  uid: 'run-uid',
  type: 'Rollout',
  startedAt: '2026-01-01T00:00:00Z',
  from: 'Running',
}

export function createHealthWorld(): HealthWorld {
  const clock = new FakeClock()
  const kube = createMemoryKube()
  const objects = new Map<string, KubeObject[]>()
  const told: string[] = []
  const checked: CheckResult[] = []
  const monitor = createHealthMonitor({
    client: kube,
    clock,
    log: silentLog,
    tell: (cluster) => told.push(cluster),
    checked: (result) => checked.push(result),
  })
  monitor.start()
  const cache = <T extends KubeObject>(plural: string): Informer<T> =>
    ({ list: () => objects.get(plural) ?? [] }) as unknown as Informer<T>
  const workloads = { deployments: cache('deployments'), statefulSets: cache('statefulsets') }
  const world: HealthWorld = {
    clock,
    kube,
    monitor,
    told,
    checked,
    objects,
    session: {
      client: kube,
      recorder: { record: () => undefined, flush: async () => undefined, close: () => undefined },
      nodes: cache('nodes'),
      pods: cache('pods'),
      budgets: cache('poddisruptionbudgets'),
      daemonSets: cache('daemonsets'),
      workloads: () => workloads as ReturnType<ClusterSession['workloads']>,
      isCurrent: () => true,
    },
    members: [aMember('w1'), aMember('w2')],
    facts: {},
    holder: undefined,
    sight: (check) => sightOf(world, check),
    look: (check) => monitor.results(world.sight(check))[0]!,
    async settled(check) {
      const before = checked.length
      world.look(check)
      while (checked.length === before) await clock.settle()
      return world.look(check)
    },
    async secret(name, data) {
      const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')])
      await kube.create(SECRETS, { metadata: { name, namespace: NAMESPACE }, data: Object.fromEntries(encoded) })
    },
  }
  return world
}

function sightOf({ members, facts, holder, session }: HealthWorld, check: CheckInput): Sight {
  const bare = {
    members,
    ungrouped: [],
    nodesKnown: true,
    machinesKnown: true,
    etcd: undefined,
    serving: new Set<string>(),
    ...facts,
  }
  return { cluster: clusterOf(check, holder), facts: bare, session }
}

function clusterOf(check: CheckInput, holder: OperationHolder | undefined): ManagedCluster {
  const cluster = withManagedClusterDefaults({
    metadata: { name: 'prod', namespace: NAMESPACE, uid: 'prod-uid' },
    spec: {
      connection: { inCluster: true },
      provider: { type: 'simulated' },
      nodeGroups: [{ name: 'worker', type: 'worker' }],
      healthChecks: [check as NodeHealthCheck],
    },
  })
  return { ...cluster, ...(holder === undefined ? {} : { status: { operation: holder } }) }
}

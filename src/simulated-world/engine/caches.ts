/** The caches of the simulated world; only those that a running controller needs are started. */
import type { KubeObject } from '../../api/resource.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import type { Log } from '../../kube/log.ts'
import * as kinds from '../kinds.ts'
import { BY_NODE, type Cache, createCache } from './cache.ts'

export interface Caches {
  /** Indexed `BY_NODE`. */
  readonly pods: Cache<kinds.Pod>
  readonly nodes: Cache<kinds.Node>
  readonly nodeLeases: Cache<kinds.CoordinationLease>
  readonly deployments: Cache<kinds.Deployment>
  readonly replicaSets: Cache<kinds.ReplicaSet>
  readonly statefulSets: Cache<kinds.StatefulSet>
  readonly daemonSets: Cache<kinds.DaemonSet>
  readonly revisions: Cache<kinds.ControllerRevision>
  readonly jobs: Cache<kinds.Job>
  readonly budgets: Cache<kinds.PodDisruptionBudget>
  readonly services: Cache<kinds.Service>
  readonly slices: Cache<kinds.EndpointSlice>
  readonly claims: Cache<kinds.PersistentVolumeClaim>
}

export interface CachesOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly log: Log
}

export function createCaches({ client, clock, log }: CachesOptions): Caches {
  const common = { clock, log }
  const indexes = { [BY_NODE]: ({ spec }: Readonly<kinds.Pod>) => [spec.nodeName ?? ''] }
  return {
    pods: createCache(client, kinds.PODS, { ...common, indexes }),
    nodes: createCache(client, kinds.NODES, common),
    nodeLeases: createCache(client, kinds.LEASES, { ...common, namespace: NODE_LEASE_NAMESPACE }),
    deployments: createCache(client, kinds.DEPLOYMENTS, common),
    replicaSets: createCache(client, kinds.REPLICA_SETS, common),
    statefulSets: createCache(client, kinds.STATEFUL_SETS, common),
    daemonSets: createCache(client, kinds.DAEMON_SETS, common),
    revisions: createCache(client, kinds.CONTROLLER_REVISIONS, common),
    jobs: createCache(client, kinds.JOBS, common),
    budgets: createCache(client, kinds.DISRUPTION_BUDGETS, common),
    services: createCache(client, kinds.SERVICES, common),
    slices: createCache(client, kinds.ENDPOINT_SLICES, common),
    claims: createCache(client, kinds.CLAIMS, common),
  }
}

/** Where kubelets renew one Lease for each node. */
export const NODE_LEASE_NAMESPACE = 'kube-node-lease'

/** The cache that a written object belongs to. */
export function cacheOf(caches: Caches, kind: string): Cache<KubeObject> | undefined {
  const all = Object.values(caches) as Cache<KubeObject>[]
  return all.find(({ type }) => type.kind === kind)
}

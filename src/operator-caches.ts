/** The informers of the operator: one per kind, shared by controllers and HTTP. */
import { SECRETS } from './api/core-resources.ts'
import type { KubeObject } from './api/resource.ts'
import type { ClusterInstance } from './api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from './api/v1alpha1/cluster-lease.ts'
import {
  ACCESS_POLICIES,
  BOOTSTRAP_CONFIGS,
  CLUSTER_INSTANCES,
  CLUSTER_LEASES,
  CLUSTER_POOLS,
} from './api/v1alpha1/resources.ts'
import { BY_INSTANCE, BY_NAME, BY_POOL, type ControllerCaches, type OwnObjects } from './controllers/deps.ts'
import { createOwnTokens } from './controllers/lease/own-tokens.ts'
import type { KubeClient } from './kube/client.ts'
import type { Clock } from './kube/clock.ts'
import { createInformer, type Informer } from './kube/informer.ts'
import type { Log } from './kube/log.ts'
import { createOwnWrites, type OwnWrites } from './kube/own-writes.ts'

export interface CacheOptions {
  readonly client: KubeClient
  readonly namespace: string
  readonly clock: Clock
  readonly log: Log
}

export function createCaches({ client, namespace, clock, log }: CacheOptions): ControllerCaches {
  const common = { namespace, clock, log }
  const poolOfInstance = ({ spec }: Readonly<ClusterInstance>) =>
    spec.poolRef === undefined ? [] : [spec.poolRef.name]
  const instanceOfLease = ({ status }: Readonly<ClusterLease>) => {
    const name = status?.binding?.instance.name ?? status?.clusterName
    return name === undefined ? [] : [name]
  }
  return {
    pools: createInformer(client, CLUSTER_POOLS, common),
    instances: createInformer(client, CLUSTER_INSTANCES, {
      ...common,
      indexes: { [BY_POOL]: poolOfInstance, [BY_NAME]: ({ metadata }) => [metadata.name ?? ''] },
    }),
    leases: createInformer(client, CLUSTER_LEASES, {
      ...common,
      indexes: { [BY_POOL]: ({ spec }) => [spec.poolRef], [BY_INSTANCE]: instanceOfLease },
    }),
    bootstraps: createInformer(client, BOOTSTRAP_CONFIGS, common),
    policies: createInformer(client, ACCESS_POLICIES, common),
    secrets: createInformer(client, SECRETS, common),
  }
}

/** Resolves when every cache is filled, or at abort. */
export async function startCaches(caches: ControllerCaches, signal: AbortSignal): Promise<void> {
  await Promise.all(Object.values(caches).map((informer: Informer<KubeObject>) => informer.start(signal)))
}

/** Which caches are not filled yet; undefined when all are. */
export function unsyncedCaches(
  caches: Readonly<Record<string, Pick<Informer<KubeObject>, 'hasSynced'>>>,
): string | undefined {
  const missing = Object.entries(caches).filter(([, informer]) => !informer.hasSynced())
  return missing.length === 0 ? undefined : `waiting for the caches of ${missing.map(([name]) => name).join(', ')}`
}

export function createOwnObjects(caches: ControllerCaches): OwnObjects {
  return {
    pools: ownWritesOf(caches.pools),
    instances: ownWritesOf(caches.instances),
    leases: ownWritesOf(caches.leases),
    tokens: createOwnTokens(caches.secrets, caches.leases),
  }
}

export function ownWritesOf<T extends KubeObject>(informer: Informer<T>): OwnWrites<T> {
  const own = createOwnWrites<T>()
  informer.on(({ type, object }) => {
    if (type === 'DELETED') own.forget(object.metadata)
  })
  return own
}

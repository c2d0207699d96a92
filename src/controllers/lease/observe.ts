/** Everything `planLease` may know. A bound instance that does not look as it should is read from the API. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { connectTokenSecretName } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_INSTANCES } from '../../api/v1alpha1/resources.ts'
import { instanceCarries, isFree } from '../../core/lease/candidates.ts'
import type { BoundInstance, LeaseObserved } from '../../core/lease/observed.ts'
import { field } from '../../core/optional-field.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import type { ControllerDeps } from '../deps.ts'
import { isPending } from './changes.ts'
import type { Captures } from './diagnostics/captures.ts'
import type { Holders } from './holders.ts'
import { policyOf } from './policy.ts'
import type { PoolQueues } from './pool-queues.ts'

interface Shared {
  /** Absent: none are made. */
  readonly captures?: Captures
  readonly lastServed: ReadonlyMap<string, number>
  readonly holders: Holders
  readonly queues: PoolQueues
}

/** Undefined: the lease is gone. */
export async function observeLease(
  deps: ControllerDeps,
  { lastServed, holders, queues, captures }: Shared,
  ref: { namespace: string; name: string },
): Promise<LeaseObserved | undefined> {
  const cached = deps.caches.leases.get(ref.namespace, ref.name)
  if (cached === undefined) return undefined
  const lease = deps.own.leases.latest(cached)
  const bound = await boundOf(deps, lease)
  // From here on in one turn, so that the parts belong together.
  const cachedPool = deps.caches.pools.get(ref.namespace, lease.spec.poolRef)
  const pool = cachedPool === undefined ? undefined : deps.own.pools.latest(cachedPool)
  const queue = isPending(lease) ? queues.of(ref.namespace, lease.spec.poolRef) : undefined
  return {
    lease,
    pool,
    get instances() {
      return queue?.instances ?? []
    },
    lastServed,
    pending: queue?.pending ?? [],
    ...field('queue', queue?.view),
    bound,
    probes: deps.probes,
    supportsVerifiedDestroy: supportsVerifiedDestroy(deps, pool?.spec.backend),
    connectTokenExists: tokenExists(deps, lease),
    ...field('diagnostics', captures?.seen(lease)),
    bindingId: deps.random.uuid(),
    ...policyOf(deps, holders, lease),
  }
}

async function boundOf(deps: ControllerDeps, lease: ClusterLease): Promise<BoundInstance> {
  const ref = lease.status?.binding?.instance
  if (ref === undefined) return { state: 'none' }
  const namespace = lease.metadata.namespace
  const cached = deps.caches.instances.get(namespace, ref.name)
  const known = cached === undefined ? undefined : deps.own.instances.latest(cached)
  if (known?.metadata.uid === ref.uid && (instanceCarries(lease, known) || isFree(known))) {
    return { state: 'found', instance: known }
  }
  if (deps.own.instances.isGone(ref.uid)) return { state: 'absent' }
  const instance = await readInstance(deps, ref.name, namespace)
  return instance?.metadata.uid === ref.uid && instance !== undefined
    ? { state: 'found', instance }
    : { state: 'absent' }
}

async function readInstance(
  { client, own }: ControllerDeps,
  name: string,
  namespace: string | undefined,
): Promise<ClusterInstance | undefined> {
  const read = await getIfPresent(client, CLUSTER_INSTANCES, { name, ...field('namespace', namespace) })
  if (read !== undefined) own.instances.record(read)
  return read
}

function supportsVerifiedDestroy(deps: ControllerDeps, backend: ClusterInstanceBackend | undefined): boolean {
  if (backend === undefined) return false
  return deps.backends.get(backend.type)?.capabilities(backend).supportsVerifiedDestroy ?? false
}

type ClusterInstanceBackend = NonNullable<ClusterInstance['spec']['backend']>

function tokenExists(deps: ControllerDeps, { metadata }: ClusterLease): boolean {
  const own = deps.own.tokens.exists(metadata.uid ?? '')
  if (own !== undefined) return own
  const secret = deps.caches.secrets.get(metadata.namespace, connectTokenSecretName(metadata.name ?? ''))
  return secret?.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) ?? false
}

/** Everything `planPool` may know, from the caches; nothing here decides. */
import { createHash } from 'node:crypto'
import type { BootstrapConfig } from '../../api/v1alpha1/bootstrap-config.ts'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { field } from '../../core/optional-field.ts'
import type { PoolCapabilities, PoolObserved } from '../../core/pool/observed.ts'
import { SPEC_HASH_VERSION, specHash, specHashInputs, specHashSources } from '../../core/pool/spec-hash.ts'
import type { Expectations } from '../../kube/expectations.ts'
import { objectKey } from '../../kube/object-key.ts'
import { BY_POOL, type ControllerDeps } from '../deps.ts'

/** A backend that this operator does not have: nothing can be made, everything is said to be unsupported. */
const NO_CAPABILITIES: PoolCapabilities = { gates: new Set(), runsBootstrapJobs: false, maxConcurrentCreates: 0 }

/** Undefined: the pool is gone. */
export function observePool(
  deps: ControllerDeps,
  expectations: Pick<Expectations, 'satisfied'>,
  ref: { namespace: string; name: string },
): PoolObserved | undefined {
  const cached = deps.caches.pools.get(ref.namespace, ref.name)
  if (cached === undefined) return undefined
  const pool = deps.own.pools.latest(cached)
  const backend = deps.backends.get(pool.spec.backend.type)
  return {
    pool,
    instances: membersOf(deps, pool).map((instance) => deps.own.instances.latest(instance)),
    leases: deps.caches.leases.byIndex(BY_POOL, ref.name).map((lease) => deps.own.leases.latest(lease)),
    specHash: currentHash(deps, pool),
    bootstrapJobs: jobsOf(deps, pool),
    capabilities: backend?.capabilities(pool.spec.backend) ?? NO_CAPABILITIES,
    expectationsMet: expectations.satisfied(objectKey(pool)),
  }
}

/** A pool of the same name that was deleted and made again does not own the members of the old one. */
function membersOf(deps: ControllerDeps, pool: ClusterPool): readonly ClusterInstance[] {
  const named = deps.caches.instances.byIndex(BY_POOL, pool.metadata.name ?? '')
  return named.filter(({ spec }) => spec.poolRef?.uid === undefined || spec.poolRef.uid === pool.metadata.uid)
}

/** One that cannot be read holds the pool for that reason already. */
function jobsOf({ caches }: ControllerDeps, { metadata, spec }: ClusterPool): ReadonlySet<string> {
  const configs = spec.bootstraps.map(({ name }) => caches.bootstraps.get(metadata.namespace, name))
  return new Set(configs.flatMap((config) => (config?.spec.job === undefined ? [] : [config.metadata.name ?? ''])))
}

/** A BootstrapConfig that cannot be read right now holds decisions about drift; it never changes the hash. */
function currentHash(deps: ControllerDeps, pool: ClusterPool): PoolObserved['specHash'] {
  const found: BootstrapConfig[] = []
  for (const { name } of pool.spec.bootstraps) {
    const config = deps.caches.bootstraps.get(pool.metadata.namespace, name)
    if (config === undefined) {
      const message = `BootstrapConfig ${name} does not exist: drift is not judged until it does`
      return { state: 'unreadable', reason: Reason.BootstrapUnreadable, message }
    }
    found.push(config)
  }
  const { syncImage } = deps.operator
  const { backend, cluster } = pool.spec
  const inputs = specHashInputs({
    pool,
    operator: syncImage === undefined ? {} : { kobeSyncImage: syncImage },
    bootstraps: found,
    fingerprint: deps.renderers.get(backend.type)?.fingerprint(backend, cluster),
  })
  const hash = specHash(inputs, sha256Hex)
  const changes = deps.specInputs.compare(pool, hash, inputs)
  return {
    state: 'known',
    hash,
    version: SPEC_HASH_VERSION,
    sources: specHashSources(inputs, sha256Hex),
    ...field('changes', changes),
  }
}

export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')

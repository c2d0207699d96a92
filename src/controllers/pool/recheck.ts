/** The last look before a member is recycled: whether the plan of the present moment would still do it. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { Label } from '../../api/v1alpha1/labels.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { CLUSTER_INSTANCES } from '../../api/v1alpha1/resources.ts'
import { field } from '../../core/optional-field.ts'
import type { PoolAction } from '../../core/pool/action.ts'
import type { PoolObserved } from '../../core/pool/observed.ts'
import { planPool } from '../../core/pool/plan-pool.ts'
import { observePool } from './observe.ts'
import type { PoolPass } from './pool-pass.ts'

type Recycle = Extract<PoolAction, { kind: 'RecycleInstance' }>

/**
 * A lease may have taken a member since the plan was made. A drift recycle counts on the members that stay Ready, and the write
 * is fenced with the one that goes alone: so for it they are listed from the API, as a watch that lags would still show one
 * that somebody has deleted by hand, and Ready would drop below the floor.
 */
export async function stillPlanned(pass: PoolPass, action: Recycle): Promise<boolean> {
  const observed = action.cause === Reason.DriftedReady ? await observeExactly(pass) : observe(pass)
  if (observed === undefined) return false
  return planPool(observed, pass.now).actions.some(
    (again) => again.kind === 'RecycleInstance' && again.uid === action.uid && again.cause === action.cause,
  )
}

function observe({ deps, expectations, observed }: PoolPass): PoolObserved | undefined {
  const { namespace = '', name = '' } = observed.pool.metadata
  return observePool(deps, expectations, { namespace, name })
}

/** The leases are looked at after the list: one that chose a member while it was read will take it any moment. */
async function observeExactly(pass: PoolPass): Promise<PoolObserved | undefined> {
  const before = observe(pass)
  if (before === undefined) return undefined
  const instances = await listMembers(pass, before)
  const after = observe(pass)
  return after === undefined ? undefined : { ...after, instances }
}

/** Those without our label (somebody took it off) are not in the list: of these what is cached has to do. */
async function listMembers({ deps }: PoolPass, { pool, instances }: PoolObserved): Promise<ClusterInstance[]> {
  const { namespace, name = '', uid } = pool.metadata
  const labelSelector = `${Label.pool}=${name}`
  const { items } = await deps.client.list(CLUSTER_INSTANCES, { ...field('namespace', namespace), labelSelector })
  const listed = items.filter(({ spec }) => spec.poolRef?.name === name && (spec.poolRef.uid ?? uid) === uid)
  for (const instance of listed) deps.own.instances.record(instance)
  return [...listed, ...instances.filter(({ metadata }) => metadata.labels?.[Label.pool] !== name)]
}

/**
 * Carries out a pool plan, in the order of `writeOrder`. A lost write ends the pass; the next one plans from what is there then.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { Finalizer, instanceIndex } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_INSTANCES, CLUSTER_POOLS } from '../../api/v1alpha1/resources.ts'
import { createdStatus, type InstanceStamp, recyclingStatus } from '../../core/instance/instance-status.ts'
import { field } from '../../core/optional-field.ts'
import { assertNever, type Plan } from '../../core/plan.ts'
import type { PoolAction } from '../../core/pool/action.ts'
import type { PoolObserved } from '../../core/pool/observed.ts'
import { renderInstance } from '../../core/pool/render-instance.ts'
import { type PoolWrite, writeOrder } from '../../core/pool/write-order.ts'
import { isKubeError } from '../../kube/errors.ts'
import { fencedStatusPatch } from '../../kube/fenced-patch.ts'
import { addFinalizer, removeFinalizer } from '../../kube/finalizers.ts'
import { objectKey } from '../../kube/object-key.ts'
import { refOf } from '../../kube/request-path.ts'
import { writeStatus } from '../write-status.ts'
import { createdWith } from './created-with.ts'
import { sha256Hex } from './observe.ts'
import type { PoolPass } from './pool-pass.ts'
import { stillPlanned } from './recheck.ts'

/** @throws KubeError: `Conflict` means that somebody wrote in between; the engine tries again soon. */
export async function executePool(pass: PoolPass, plan: Plan<PoolAction, PoolStatus>): Promise<void> {
  await repeatLostCreates(pass)
  for (const step of writeOrder(plan)) {
    const going = await allSent(step.map((write) => act(pass, write)))
    if (!going) return
  }
}

/** Waits for all of them, so that none goes on after the pass. @throws what the first failed one threw */
async function allSent(writes: readonly Promise<boolean>[]): Promise<boolean> {
  const results = await Promise.allSettled(writes)
  const failed = results.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return results.every((result) => result.status === 'fulfilled' && result.value)
}

/** False: the pool is gone, and nothing more is to be done for it. */
async function act(pass: PoolPass, write: PoolWrite): Promise<boolean> {
  if (write.kind === 'WriteStatus') {
    const { client, own } = pass.deps
    const target = { client, type: CLUSTER_POOLS, record: own.pools.record }
    return (await writeStatus(target, pass.observed.pool, write.status)) !== 'gone'
  }
  await carryOut(pass, write)
  return true
}

async function carryOut(pass: PoolPass, action: PoolAction): Promise<void> {
  switch (action.kind) {
    case 'AddFinalizer':
      return finalizer(pass, 'add')
    case 'RemoveFinalizer':
      return finalizer(pass, 'remove')
    case 'CreateInstance':
      return createInstance(pass, action)
    case 'StampInstance':
      return stampInstance(pass, action)
    case 'RecycleInstance':
      return recycleInstance(pass, action)
    default:
      return assertNever(action)
  }
}

async function finalizer({ deps, observed }: PoolPass, change: 'add' | 'remove'): Promise<void> {
  // With the version that the status was just written at.
  const pool = deps.own.pools.latest(observed.pool)
  if (change === 'remove') await removeFinalizer(deps.client, CLUSTER_POOLS, pool, Finalizer.poolCleanup)
  else deps.own.pools.record(await addFinalizer(deps.client, CLUSTER_POOLS, pool, Finalizer.poolCleanup))
}

type Create = Extract<PoolAction, { kind: 'CreateInstance' }>

async function createInstance(pass: PoolPass, action: Create): Promise<void> {
  const { deps, expectations, observed } = pass
  const owner = objectKey(observed.pool)
  const instance = renderInstance(observed.pool, action.name)
  const expected = { kind: CLUSTER_INSTANCES.kind, namespace: instance.metadata.namespace, name: action.name }
  expectations.expectCreated(owner, expected)
  let created: ClusterInstance
  try {
    created = await deps.client.create(CLUSTER_INSTANCES, instance)
  } catch (error) {
    // An earlier answer was lost: the member is in the cache soon, and is stamped by the pass that sees it.
    if (isKubeError(error, 'AlreadyExists')) return
    // Any answer but these says that nothing was made; after these the same create is sent again, which settles it.
    if (!isKubeError(error, 'Unreachable', 'Timeout')) expectations.withdraw(owner, expected)
    throw error
  }
  expectations.settled(owner, CLUSTER_INSTANCES.kind, created)
  await ignoreLostRace(() => stamp(pass, created, action))
}

/**
 * Creates whose answers were lost are sent again. Each has its own name, so that makes the member once, whether or not the
 * first one arrived; without it the pool would stand still until the expectation times out.
 */
async function repeatLostCreates(pass: PoolPass): Promise<void> {
  const { expectations, observed } = pass
  const { pool, specHash } = observed
  if (pool.metadata.deletionTimestamp !== undefined || specHash.state !== 'known') return
  for (const { name, uid, change } of expectations.pending(objectKey(pool))) {
    if (change !== 'created' || uid !== undefined) continue
    const index = instanceIndex(pool.metadata.name ?? '', name) ?? 0
    const { hash, version } = specHash
    await createInstance(pass, { kind: 'CreateInstance', name, index, specHash: hash, specHashVersion: version })
  }
}

type Stamp = Extract<PoolAction, { kind: 'StampInstance' }>

async function stampInstance(pass: PoolPass, action: Stamp): Promise<void> {
  const instance = planned(pass.observed, action)
  if (instance !== undefined) await ignoreLostRace(() => stamp(pass, instance, action))
}

async function stamp(pass: PoolPass, instance: ClusterInstance, action: Create | Stamp): Promise<void> {
  const { deps, observed, now } = pass
  const facts: InstanceStamp = {
    specHash: action.specHash,
    specHashVersion: action.specHashVersion,
    ...field('specHashSources', observed.specHash.state === 'known' ? observed.specHash.sources : undefined),
    createdWith: createdWith(observed.pool, deps.operator, sha256Hex),
  }
  await writeInstance(pass, instance, createdStatus(instance, facts, now))
}

type Recycle = Extract<PoolAction, { kind: 'RecycleInstance' }>

async function recycleInstance(pass: PoolPass, action: Recycle): Promise<void> {
  const { deps, observed, now } = pass
  const instance = planned(observed, action)
  if (instance === undefined || !(await stillPlanned(pass, action))) return
  const cause = { reason: action.cause, message: action.message }
  // A member that was just leased, or recycled by somebody else, is not ours to recycle any more.
  const recycled = await ignoreLostRace(() => writeInstance(pass, instance, recyclingStatus(instance, cause, now)))
  if (recycled) deps.metrics.instanceRecycles.inc({ profile: observed.pool.metadata.name ?? '', reason: action.reason })
}

function planned(
  observed: PoolObserved,
  action: { uid: string; resourceVersion: string },
): ClusterInstance | undefined {
  return observed.instances.find(
    ({ metadata }) => metadata.uid === action.uid && metadata.resourceVersion === action.resourceVersion,
  )
}

async function writeInstance(
  { deps }: PoolPass,
  instance: ClusterInstance,
  status: NonNullable<ClusterInstance['status']>,
): Promise<void> {
  const patch = fencedStatusPatch(instance, status)
  if (patch === undefined) return
  deps.own.instances.record(
    await deps.client.patch(CLUSTER_INSTANCES, refOf(instance), patch, { subresource: 'status' }),
  )
}

/** True when the write landed. The member changed or vanished: the next pass sees it as it is. */
async function ignoreLostRace(write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (isKubeError(error, 'Conflict', 'NotFound')) return false
    throw error
  }
}

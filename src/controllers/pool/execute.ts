/**
 * Carries out a pool plan. The status goes first: it holds the failure records and the highest index, which must never lag
 * behind the acts. A lost write ends the pass; the next one plans from what is there then.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_INSTANCES, CLUSTER_POOLS } from '../../api/v1alpha1/resources.ts'
import { createdStatus, type InstanceStamp, recyclingStatus } from '../../core/instance/instance-status.ts'
import { assertNever, type Plan } from '../../core/plan.ts'
import type { PoolAction } from '../../core/pool/action.ts'
import type { PoolObserved } from '../../core/pool/observed.ts'
import { isKubeError } from '../../kube/errors.ts'
import type { Expectations } from '../../kube/expectations.ts'
import { fencedStatusPatch } from '../../kube/fenced-patch.ts'
import { addFinalizer, removeFinalizer } from '../../kube/finalizers.ts'
import { objectKey } from '../../kube/object-key.ts'
import { refOf } from '../../kube/request-path.ts'
import type { ControllerDeps } from '../deps.ts'
import { sha256Hex } from './observe.ts'
import { createdWith, renderInstance } from './render-instance.ts'

export interface PoolPass {
  readonly deps: ControllerDeps
  readonly expectations: Expectations
  readonly observed: PoolObserved
  readonly now: number
}

/** @throws KubeError: `Conflict` means that somebody wrote in between; the engine tries again soon. */
export async function executePool(pass: PoolPass, plan: Plan<PoolAction, PoolStatus>): Promise<void> {
  await writeStatus(pass, plan.status)
  // One after the other: each is quick, and a failure leaves the rest to the next pass.
  for (const action of plan.actions) await act(pass, action)
}

async function writeStatus({ deps, observed }: PoolPass, status: PoolStatus): Promise<void> {
  const patch = fencedStatusPatch(observed.pool, status)
  if (patch === undefined) return
  const written = await deps.client.patch(CLUSTER_POOLS, refOf(observed.pool), patch, { subresource: 'status' })
  deps.own.pools.record(written)
}

async function act(pass: PoolPass, action: PoolAction): Promise<void> {
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
  try {
    const created = await deps.client.create(CLUSTER_INSTANCES, instance)
    expectations.settled(owner, CLUSTER_INSTANCES.kind, created)
    await stamp(pass, created, action)
  } catch (error) {
    // The write surely did not happen, or the name is taken by a member that an earlier answer lost; either way it is in the cache soon.
    if (!isKubeError(error, 'Unreachable', 'Timeout')) expectations.withdraw(owner, expected)
    if (!isKubeError(error, 'AlreadyExists')) throw error
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
    createdWith: createdWith(observed.pool, deps.operator, sha256Hex),
  }
  await writeInstance(pass, instance, createdStatus(instance, facts, now))
}

type Recycle = Extract<PoolAction, { kind: 'RecycleInstance' }>

async function recycleInstance(pass: PoolPass, action: Recycle): Promise<void> {
  const { deps, observed, now } = pass
  const instance = planned(observed, action)
  if (instance === undefined) return
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

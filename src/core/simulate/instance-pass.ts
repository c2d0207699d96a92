/** One pass over an instance: what the instance controller does, on the store of the simulated world. */

import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import type { InstanceAction } from '../instance/action.ts'
import { instanceStatusChanged } from '../instance/instance-status.ts'
import { leaseHolds } from '../instance/lease-holds.ts'
import type { Evidence, LeaseOfInstance, PoolOfInstance } from '../instance/observed.ts'
import { planInstance } from '../instance/plan-instance.ts'
import { foldProbe } from '../instance/probe-schedule.ts'
import { assertNever } from '../plan.ts'
import { cached, type World } from './world.ts'

/** Answers when to look again. */
export function instancePass(world: World, name: string): number | undefined {
  const instance = cached(world).instances.get(name)
  if (instance === undefined) return undefined
  const uid = instance.metadata.uid ?? ''
  const plan = planInstance(
    {
      instance,
      pool: poolOf(world, instance),
      lease: leaseOf(world, instance),
      evidence: world.evidence.get(uid) ?? {},
      watchingSince: world.options.start,
    },
    world.now,
  )
  world.notes.push(...plan.notes)
  for (const action of plan.actions) execute(world, instance, action)
  if (instanceStatusChanged(instance, plan.status)) {
    const fence = { uid, resourceVersion: instance.metadata.resourceVersion ?? '' }
    world.instances.update(name, fence, (current) => ({ ...current, status: plan.status }))
  }
  return plan.requeueAfterMs === undefined ? undefined : world.now + plan.requeueAfterMs
}

function leaseOf(world: World, instance: ClusterInstance): LeaseOfInstance {
  const { status } = instance
  if (!status?.leaseRef) return { state: 'none' }
  const seen = cached(world).leases.get(status.leaseRef.name)
  if (seen !== undefined && leaseHolds(instance, seen)) return { state: 'found', lease: seen }
  // What would end the use of a member is read, not believed.
  const lease = world.leases.get(status.leaseRef.name)
  return lease === undefined ? { state: 'absent' } : { state: 'found', lease }
}

function poolOf(world: World, { spec }: ClusterInstance): PoolOfInstance {
  if (spec.poolRef === undefined) return { state: 'none' }
  const pool = world.pools.get(spec.poolRef.name)
  return pool === undefined ? { state: 'absent' } : { state: 'found', pool }
}

function execute(world: World, instance: ClusterInstance, action: InstanceAction): void {
  world.acts += 1
  const { name = '', uid = '' } = instance.metadata
  const { clusters, now } = world
  switch (action.kind) {
    case 'AddFinalizer':
      setFinalizers(world, instance, [Finalizer.instanceCleanup])
      return
    case 'RemoveFinalizer':
      setFinalizers(world, instance, [])
      return
    case 'DeleteInstance':
      world.instances.remove(name, action)
      return
    case 'EnsureMember':
      world.invariants.ensured(world, instance)
      remember(world, uid, { member: clusters.ensure(uid, instance.status?.createdWith?.cluster?.version ?? '', now) })
      return
    case 'PublishKubeconfig':
      remember(world, uid, { kubeconfigPublished: true })
      return
    case 'CheckGates':
      remember(world, uid, { gates: { passed: true, at: now } })
      return
    case 'ProbeMember': {
      const before = world.evidence.get(uid)?.probe?.failuresInARow ?? instance.status?.healthFailures ?? 0
      remember(world, uid, { probe: foldProbe(before, clusters.probe(uid, now), now) })
      return
    }
    case 'DestroyMember':
      world.invariants.destroyed(world, instance)
      remember(world, uid, { destroy: clusters.destroy(uid, now) })
      return
    default:
      assertNever(action)
  }
}

function remember(world: World, uid: string, evidence: Evidence): void {
  world.evidence.set(uid, { ...world.evidence.get(uid), ...evidence })
}

function setFinalizers(world: World, { metadata }: ClusterInstance, finalizers: string[]): void {
  world.instances.update(metadata.name ?? '', { uid: metadata.uid ?? '' }, (current) => ({
    ...current,
    metadata: { ...current.metadata, finalizers },
  }))
}

/** A pass of the instance controller, as far as leases are concerned: its plan, and one fenced write of the status. */

import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { CLUSTER_INSTANCES } from '../../../src/api/v1alpha1/resources.ts'
import { instanceStatusChanged } from '../../../src/core/instance/instance-status.ts'
import { leaseHolds } from '../../../src/core/instance/lease-holds.ts'
import type { LeaseOfInstance } from '../../../src/core/instance/observed.ts'
import { planInstance } from '../../../src/core/instance/plan-instance.ts'
import { isKubeError } from '../../../src/kube/errors.ts'
import { fencedStatusPatch } from '../../../src/kube/fenced-patch.ts'
import { patch } from './api-server.ts'
import { keyOf, type Objects, type Operator, viewOf, type World, withOperator } from './world.ts'

/** Most steps change one object: a pass over any other that did nothing does nothing again. */
const settled = new WeakMap<ClusterInstance, { readonly lease: LeaseOfInstance; readonly now: number }>()

function isSettled(instance: ClusterInstance, lease: LeaseOfInstance, now: number): boolean {
  const before = settled.get(instance)
  if (before === undefined || before.now !== now || before.lease.state !== lease.state) return false
  return before.lease.state !== 'found' || lease.state !== 'found' || before.lease.lease === lease.lease
}

export function runMemberPass(world: World, at: number, name: string): World {
  const operator = world.operators[at] as Operator
  const seen = viewOf(world, operator)
  const instance = seen.get(keyOf('clusterinstances', name)) as ClusterInstance | undefined
  if (instance === undefined || instance.status?.phase === 'Recycling') return world
  const pool = seen.get(keyOf('clusterpools', 'ci-small')) as ClusterPool
  const lease = leaseOf(world, seen, instance)
  if (isSettled(instance, lease, world.now)) return world
  const observed = { instance, lease, pool: { state: 'found', pool } as const, evidence: {}, watchingSince: world.now }
  const { status } = planInstance(observed, world.now)
  const change = instanceStatusChanged(instance, status) ? fencedStatusPatch(instance, status) : undefined
  if (change === undefined) {
    settled.set(instance, { lease, now: world.now })
    return world
  }
  try {
    const written = patch(world, { type: CLUSTER_INSTANCES, name }, change, { subresource: 'status' })
    return known(written.world, at, written.object as ClusterInstance)
  } catch (error) {
    if (isKubeError(error, 'Conflict', 'NotFound')) return world
    throw error
  }
}

/** As the controller finds it: what would end the use of a member is read from the API server. */
function leaseOf(world: World, seen: Objects, instance: ClusterInstance): LeaseOfInstance {
  const ref = instance.status?.leaseRef ?? instance.status?.binding?.lease
  if (!ref) return { state: 'none' }
  const cached = seen.get(keyOf('clusterleases', ref.name)) as ClusterLease | undefined
  const isIt = cached?.metadata.uid === ref.uid
  const isOver = isIt && (cached?.status?.phase === 'Released' || cached?.status?.phase === 'Expired')
  if (cached !== undefined && (leaseHolds(instance, cached) || isOver)) return { state: 'found', lease: cached }
  const lease = world.objects.get(keyOf('clusterleases', ref.name)) as ClusterLease | undefined
  return lease?.metadata.uid === ref.uid && lease !== undefined ? { state: 'found', lease } : { state: 'absent' }
}

function known(world: World, at: number, written: ClusterInstance): World {
  const operator = world.operators[at] as Operator
  const { lag } = operator
  if (lag?.kind !== 'clusterinstances') return world
  const key = keyOf('clusterinstances', written.metadata.name ?? '')
  return withOperator(world, at, { ...operator, lag: { ...lag, seen: new Map(lag.seen).set(key, written) } })
}

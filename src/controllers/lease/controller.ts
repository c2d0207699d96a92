/** The lease controller: when a lease is looked at, and one pass over it. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import { isFree } from '../../core/lease/candidates.ts'
import { planLease } from '../../core/lease/plan-lease.ts'
import { requesterKey } from '../../core/lease/queue.ts'
import { keyOf, objectKey, splitKey } from '../../kube/object-key.ts'
import { BY_INSTANCE, BY_POOL, type ControllerDeps } from '../deps.ts'
import { type Controller, createController, type ReconcileResult } from '../engine/controller.ts'
import { engineMetrics } from '../engine-metrics.ts'
import { createNotePublisher } from '../note-publisher.ts'
import { executeLease } from './execute.ts'
import { observeLeaseMetrics } from './lease-metrics.ts'
import { observeLease } from './observe.ts'

/** Tries of one pass over: a lost race takes the next candidate at once, but not for ever. */
const MAX_PASSES = 20

export function createLeaseController(deps: ControllerDeps): Controller {
  const lastServed = new Map<string, number>()
  const notes = createNotePublisher(deps.recorder, deps.log)
  const controller = createController({
    name: 'lease',
    concurrency: 16,
    clock: deps.clock,
    log: deps.log,
    metrics: engineMetrics(deps.metrics, 'lease'),
    reconcile: (key) => reconcile(key),
  })

  async function reconcile(key: string): Promise<ReconcileResult> {
    const { namespace = '', name } = splitKey(key)
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const observed = await observeLease(deps, lastServed, { namespace, name })
      if (observed === undefined) {
        notes.forget(key)
        return {}
      }
      const now = deps.clock.now()
      const plan = planLease(observed, now)
      notes.publish(observed.lease, plan.notes)
      const result = await executeLease({ deps, observed, now }, plan)
      if (result === 'gone') return {}
      if (result === 'done') return { requeueAfterMs: plan.requeueAfterMs }
      if (result === 'again') {
        observeLeaseMetrics(deps.metrics, observed.lease, plan.status, now)
        if (plan.status.phase === 'Bound') lastServed.set(requesterKey(observed.lease), now)
      }
    }
    // Other writers keep winning: give them, and the caches, a moment.
    return { requeueAfterMs: 50 }
  }

  watch(deps, controller)
  return controller
}

/** A lease is looked at when it or its instance changes, and a waiting one when a member of its pool may have become free. */
function watch({ caches }: ControllerDeps, controller: Controller): void {
  const wakeQueue = (pool: string) => {
    for (const lease of caches.leases.byIndex(BY_POOL, pool)) {
      if ((lease.status?.phase ?? 'Pending') === 'Pending') controller.enqueue(objectKey(lease))
    }
  }
  caches.leases.on(({ type, object, old }) => {
    controller.enqueue(objectKey(object))
    // One less in the queue: the others move up, and what it had chosen may be free again.
    if (type === 'DELETED' || (old !== undefined && old.status?.phase !== object.status?.phase))
      wakeQueue(object.spec.poolRef)
  })
  caches.instances.on(({ object, old }) => {
    for (const lease of caches.leases.byIndex(BY_INSTANCE, object.metadata.name ?? ''))
      controller.enqueue(objectKey(lease))
    if (becameFree(object, old)) wakeQueue(object.spec.poolRef?.name ?? '')
  })
  caches.pools.on(({ object, old }) => {
    const changed =
      old === undefined ||
      old.status?.phase !== object.status?.phase ||
      old.metadata.generation !== object.metadata.generation
    if (changed) wakeQueue(object.metadata.name ?? '')
  })
  // The token of a bound lease that somebody deleted is made again.
  caches.secrets.on(({ type, object }) => {
    if (type !== 'DELETED') return
    const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === 'ClusterLease')
    if (owner !== undefined) controller.enqueue(keyOf(object.metadata.namespace, owner.name))
  })
}

function becameFree(now: ClusterInstance, before: ClusterInstance | undefined): boolean {
  return isFree(now) && (before === undefined || !isFree(before))
}

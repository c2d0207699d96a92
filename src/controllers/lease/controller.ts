/** The lease controller: when a lease is looked at, and one pass over it. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import type { LeaseAction } from '../../core/lease/action.ts'
import { isFree } from '../../core/lease/candidates.ts'
import { planLease } from '../../core/lease/plan-lease.ts'
import { requesterKey } from '../../core/lease/queue.ts'
import { keyOf, objectKey, splitKey } from '../../kube/object-key.ts'
import { BY_INSTANCE, BY_POOL, type ControllerDeps } from '../deps.ts'
import { type Controller, createController, type ReconcileResult } from '../engine/controller.ts'
import { enqueueOnChange } from '../engine/sources.ts'
import { withSources } from '../engine/with-sources.ts'
import { engineMetrics } from '../engine-metrics.ts'
import { createNotePublisher, type NotePublisher } from '../note-publisher.ts'
import { executeLease, type LeasePassResult } from './execute.ts'
import { observeLeaseMetrics } from './lease-metrics.ts'
import { observeLease } from './observe.ts'

/** Tries of one pass over: a lost race takes the next candidate at once, but not for ever. */
const MAX_PASSES = 20

export function createLeaseController(deps: ControllerDeps): Controller {
  const notes = createNotePublisher(deps.recorder, deps.log)
  const memory: LeaseMemory = { lastServed: new Map(), gone: new Set(), notes }
  const controller = createController({
    name: 'lease',
    concurrency: 16,
    clock: deps.clock,
    log: deps.log,
    metrics: engineMetrics(deps.metrics, 'lease'),
    reconcile: (key) => reconcile(deps, memory, key),
  })
  return withSources(controller, () => [...sources(deps, controller), countTransitions(deps), forgetGone(deps, memory)])
}

/** Whoever made them: the HTTP API writes the end of a lease itself, and a lease can be deleted by hand. */
function countTransitions({ caches, metrics, clock }: ControllerDeps): () => void {
  return caches.leases.on(({ type, object, old }) => {
    if (old !== undefined) observeLeaseMetrics(metrics, old, type === 'DELETED' ? undefined : object, clock.now())
  })
}

function forgetGone({ caches }: ControllerDeps, { gone }: LeaseMemory): () => void {
  return caches.leases.on(({ type, object }) => {
    if (type === 'DELETED') gone.delete(object.metadata.uid ?? '')
  })
}

interface LeaseMemory {
  /** When a requester was last given a member: a hint for the order of the queue. */
  readonly lastServed: Map<string, number>
  /** UIDs of leases that were deleted and that the cache still shows. */
  readonly gone: Set<string>
  readonly notes: NotePublisher
}

async function reconcile(deps: ControllerDeps, memory: LeaseMemory, key: string): Promise<ReconcileResult> {
  for (let count = 0; count < MAX_PASSES; count += 1) {
    const { result, requeueAfterMs } = await pass(deps, memory, key)
    if (result === 'gone') return {}
    if (result === 'done') return { requeueAfterMs }
  }
  // Other writers keep winning: give them, and the caches, a moment.
  return { requeueAfterMs: 50 }
}

interface PassOutcome {
  readonly result: LeasePassResult
  readonly requeueAfterMs?: number | undefined
}

async function pass(deps: ControllerDeps, memory: LeaseMemory, key: string): Promise<PassOutcome> {
  const { lastServed, notes, gone } = memory
  const { namespace = '', name } = splitKey(key)
  const observed = await observeLease(deps, lastServed, { namespace, name })
  if (observed === undefined) {
    notes.forget(key)
    return { result: 'gone' }
  }
  const { uid = '', finalizers = [] } = observed.lease.metadata
  if (gone.has(uid)) return { result: 'gone' }
  const now = deps.clock.now()
  const plan = planLease(observed, now)
  notes.publish(observed.lease, plan.notes)
  const result = await executeLease({ deps, observed, now, lease: observed.lease }, plan)
  if (result === 'again') {
    if (plan.status.phase === 'Bound') lastServed.set(requesterKey(observed.lease), now)
  }
  // With a finalizer on it the object stays, and there is more to do.
  const done = result === 'gone' && (finalizers.length === 0 || plan.actions.some(isLast))
  if (done && deps.caches.leases.get(namespace, name)?.metadata.uid === uid) gone.add(uid)
  return { result, requeueAfterMs: plan.requeueAfterMs }
}

const isLast = ({ kind }: LeaseAction): boolean => kind === 'RemoveFinalizer'

/** A lease is looked at when it or its instance changes, and a waiting one when a member of its pool may have become free. */
function sources({ caches }: ControllerDeps, controller: Controller): (() => void)[] {
  const wake = (leases: readonly ClusterLease[]) => {
    for (const lease of leases) if (isPending(lease)) controller.enqueue(objectKey(lease))
  }
  const wakeQueue = (pool: string) => wake(caches.leases.byIndex(BY_POOL, pool))
  const wakeRequester = (ended: ClusterLease) =>
    wake(caches.leases.list().filter((lease) => requesterKey(lease) === requesterKey(ended)))
  return [
    caches.leases.on(({ type, object, old }) => {
      controller.enqueue(objectKey(object))
      // One less in the queue: the others move up, and what it had chosen may be free again.
      const moved = old !== undefined && old.status?.phase !== object.status?.phase
      if (type !== 'DELETED' && !moved) return
      wakeQueue(object.spec.poolRef)
      // One less against its quota, which counts over all pools.
      wakeRequester(object)
    }),
    caches.policies.on(() => wake(caches.leases.list())),
    caches.instances.on(({ object, old }) => {
      for (const lease of caches.leases.byIndex(BY_INSTANCE, object.metadata.name ?? '')) {
        controller.enqueue(objectKey(lease))
      }
      if (becameFree(object, old)) wakeQueue(object.spec.poolRef?.name ?? '')
    }),
    caches.pools.on(({ object, old }) => {
      if (poolMatters(object, old)) wakeQueue(object.metadata.name ?? '')
    }),
    // The token of a bound lease that somebody deleted is made again.
    enqueueOnChange(caches.secrets, controller, ({ metadata }) => {
      const owner = metadata.ownerReferences?.find(({ kind }) => kind === CLUSTER_LEASES.kind)
      return owner === undefined ? [] : [keyOf(metadata.namespace, owner.name)]
    }),
  ]
}

const isPending = ({ status }: ClusterLease): boolean => (status?.phase ?? 'Pending') === 'Pending'

/** Whether the reason why leases wait may be another one now; the counts of a pool change all the time. */
function poolMatters(now: ClusterPool, before: ClusterPool | undefined): boolean {
  if (before === undefined || before.metadata.generation !== now.metadata.generation) return true
  return whyLeasesWait(before) !== whyLeasesWait(now)
}

function whyLeasesWait({ status }: ClusterPool): string {
  const finding = (type: ConditionType) => {
    const condition = findCondition(status?.conditions, type)
    return [condition?.status, condition?.reason]
  }
  const { phase, creating = 0, currentSpecHash, nextAttemptAt } = status ?? {}
  const conditions = [ConditionType.CapacityBlocked, ConditionType.Stalled].map(finding)
  return JSON.stringify([phase, creating > 0, currentSpecHash, nextAttemptAt, conditions])
}

function becameFree(now: ClusterInstance, before: ClusterInstance | undefined): boolean {
  return isFree(now) && (before === undefined || !isFree(before))
}

/** The lease controller: when a lease is looked at, and one pass over it. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import type { LeaseAction } from '../../core/lease/action.ts'
import type { LeaseObserved } from '../../core/lease/observed.ts'
import { planLease } from '../../core/lease/plan-lease.ts'
import { requesterKey } from '../../core/lease/queue.ts'
import { keyOf, objectKey, splitKey } from '../../kube/object-key.ts'
import { BY_INSTANCE, type ControllerDeps } from '../deps.ts'
import { type Controller, createController, type ReconcileResult } from '../engine/controller.ts'
import { enqueueOnChange } from '../engine/sources.ts'
import { withSources } from '../engine/with-sources.ts'
import { engineMetrics } from '../engine-metrics.ts'
import { createNotePublisher, type NotePublisher } from '../note-publisher.ts'
import { becameFree, isPending, poolMatters } from './changes.ts'
import { type Captures, createCaptures } from './diagnostics/captures.ts'
import { executeLease, type LeasePassResult } from './execute.ts'
import { createHolders, type Holders } from './holders.ts'
import { observeLeaseMetrics } from './lease-metrics.ts'
import { observeLease } from './observe.ts'
import { createPoolQueues, type PoolQueues } from './pool-queues.ts'
import { createQueueWaker } from './queue-waker.ts'
import { createWaitingNews, type WaitingNews } from './waiting-news.ts'

/** Tries of one pass over: a lost race takes the next candidate at once, but not for ever. */
const MAX_PASSES = 20

export function createLeaseController(deps: ControllerDeps): Controller {
  const notes = createNotePublisher(deps.recorder, deps.log)
  const lastServed = new Map<string, number>()
  const holders = createHolders(deps)
  const queues = createPoolQueues(deps, { lastServed, holders })
  const captures = createCaptures(deps)
  const news = createWaitingNews(deps.clock)
  const memory: LeaseMemory = {
    captures,
    news,
    lastServed,
    holders,
    queues,
    blocked: new Set(),
    gone: new Set(),
    notes,
  }
  const controller = createController({
    name: 'lease',
    concurrency: 16,
    clock: deps.clock,
    log: deps.log,
    metrics: engineMetrics(deps.metrics, 'lease'),
    reconcile: (key) => reconcile(deps, memory, key),
  })
  return withSources(controller, () => [
    ...sources(deps, memory, controller),
    countTransitions(deps),
    forgetGone(deps, memory),
  ])
}

/** Whoever made them: the HTTP API writes the end of a lease itself, and a lease can be deleted by hand. */
function countTransitions({ caches, metrics, clock }: ControllerDeps): () => void {
  return caches.leases.on(({ type, object, old }) => {
    if (old !== undefined) observeLeaseMetrics(metrics, old, type === 'DELETED' ? undefined : object, clock.now())
  })
}

function forgetGone({ caches }: ControllerDeps, { gone, captures, news }: LeaseMemory): () => void {
  return caches.leases.on(({ type, object }) => {
    if (type !== 'DELETED') return
    gone.delete(object.metadata.uid ?? '')
    captures.forget(object.metadata.uid ?? '')
    news.forget(object.metadata.uid ?? '')
  })
}

interface LeaseMemory {
  readonly captures: Captures
  readonly news: WaitingNews
  /** When a requester was last given a member: a hint for the order of the queue. */
  readonly lastServed: Map<string, number>
  /** UIDs of leases that were deleted and that the cache still shows. */
  readonly gone: Set<string>
  readonly holders: Holders
  readonly queues: PoolQueues
  /** Requesters of whom a lease waits because they hold all they may. */
  readonly blocked: Set<string>
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
  const { lastServed, notes, gone, holders, queues, blocked, captures, news } = memory
  const { namespace = '', name } = splitKey(key)
  const observed = await observeLease(deps, memory, { namespace, name })
  if (observed === undefined) {
    notes.forget(key)
    return { result: 'gone' }
  }
  const { uid = '', finalizers = [] } = observed.lease.metadata
  if (gone.has(uid)) return { result: 'gone' }
  const now = deps.clock.now()
  const plan = planLease(observed, now)
  const requester = requesterKey(observed.lease)
  if (plan.status.phase === 'Pending' && isExhausted(observed)) blocked.add(requester)
  notes.publish(observed.lease, plan.notes)
  const result = await executeLease(
    { deps, holders, queues, captures, news, observed, now, lease: observed.lease },
    plan,
  )
  if (result === 'again' && plan.status.phase === 'Bound') {
    lastServed.set(requester, now)
    queues.shrunk(observed.lease.spec.poolRef)
  }
  // With a finalizer on it the object stays, and there is more to do.
  const done = result === 'gone' && (finalizers.length === 0 || plan.actions.some(isLast))
  if (done && deps.caches.leases.get(namespace, name)?.metadata.uid === uid) gone.add(uid)
  return { result, requeueAfterMs: soonest(plan.requeueAfterMs, news.holdMs(observed.lease, plan.status)) }
}

/** `heldMs` 0: nothing was held back. */
function soonest(requeueAfterMs: number | undefined, heldMs: number): number | undefined {
  return heldMs > 0 ? Math.min(heldMs, requeueAfterMs ?? heldMs) : requeueAfterMs
}

const isExhausted = ({ quota }: LeaseObserved): boolean => quota !== undefined && quota.held >= quota.cap

const isLast = ({ kind }: LeaseAction): boolean => kind === 'RemoveFinalizer'

/** A lease is looked at when it or its instance changes, and a waiting one when a member of its pool may have become free. */
function sources({ caches, clock }: ControllerDeps, memory: LeaseMemory, controller: Controller): (() => void)[] {
  const { holders, queues, blocked } = memory
  const waker = createQueueWaker({ caches, clock }, queues, controller)
  const wakeQueueOf = ({ metadata, spec }: ClusterLease) => waker.wake(metadata.namespace, spec.poolRef)
  const waiting = () => caches.leases.list().filter(isPending)
  // What follows looks into both: they come first.
  const following = [holders.follow(), queues.follow()]
  return [
    ...following,
    () => waker.close(),
    memory.captures.onDone((key) => controller.enqueue(key)),
    caches.leases.on(({ type, object, old }) => {
      controller.enqueue(objectKey(object))
      // One less in the queue: the others move up, and what it had chosen may be free again.
      const moved = old !== undefined && old.status?.phase !== object.status?.phase
      if (type !== 'DELETED' && !moved) return
      wakeQueueOf(object)
      // One less against its quota, which counts over all pools.
      const requester = requesterKey(object)
      if (!blocked.delete(requester)) return
      for (const lease of waiting().filter((other) => requesterKey(other) === requester)) {
        queues.outdated(lease.spec.poolRef)
        wakeQueueOf(lease)
      }
    }),
    caches.policies.on(() => {
      for (const lease of waiting()) controller.enqueue(objectKey(lease))
    }),
    caches.instances.on(({ object, old }) => {
      for (const lease of caches.leases.byIndex(BY_INSTANCE, object.metadata.name ?? '')) {
        controller.enqueue(objectKey(lease))
      }
      if (becameFree(object, old)) waker.wake(object.metadata.namespace, object.spec.poolRef?.name ?? '')
    }),
    caches.pools.on(({ object, old }) => {
      if (poolMatters(object, old)) waker.wake(object.metadata.namespace, object.metadata.name ?? '')
    }),
    // The token of a bound lease that somebody deleted is made again.
    enqueueOnChange(caches.secrets, controller, ({ metadata }) => {
      const owner = metadata.ownerReferences?.find(({ kind }) => kind === CLUSTER_LEASES.kind)
      return owner === undefined ? [] : [keyOf(metadata.namespace, owner.name)]
    }),
  ]
}

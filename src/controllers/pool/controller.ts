/** The pool controller: when a pool is looked at, and one pass over it. */

import { isDeepStrictEqual } from 'node:util'
import type { KubeObject } from '../../api/resource.ts'
import type { ClusterPool, PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { brokenInvariants, CHECKED_INVARIANTS } from '../../core/pool/invariants.ts'
import type { PoolObserved } from '../../core/pool/observed.ts'
import { planPool } from '../../core/pool/plan-pool.ts'
import { earliest } from '../../core/requeue.ts'
import { createExpectations } from '../../kube/expectations.ts'
import { keyOf, objectKey, splitKey } from '../../kube/object-key.ts'
import type { ControllerDeps } from '../deps.ts'
import { type Controller, createController, type ReconcileResult } from '../engine/controller.ts'
import { enqueueOnChange } from '../engine/sources.ts'
import { withSources } from '../engine/with-sources.ts'
import { engineMetrics } from '../engine-metrics.ts'
import { createNotePublisher } from '../note-publisher.ts'
import { executePool } from './execute.ts'
import { observePool } from './observe.ts'
import { observePoolMetrics } from './pool-metrics.ts'

/** Milliseconds between the passes over one pool in a burst of changes: so much longer than its last pass took, within bounds. */
const BURST_FACTOR = 16
const BURST_MS = { least: 100, most: 1_000 }

export function createPoolController(deps: ControllerDeps): Controller {
  const expectations = createExpectations({ caches: { ClusterInstance: deps.caches.instances }, clock: deps.clock })
  const notes = createNotePublisher(deps.recorder, deps.log)
  for (const invariant of CHECKED_INVARIANTS) deps.metrics.invariantViolations.inc({ invariant }, 0)
  const controller = createController({
    name: 'pool',
    concurrency: 4,
    clock: deps.clock,
    log: deps.log,
    metrics: engineMetrics(deps.metrics, 'pool'),
    reconcile: (key) => reconcile(key),
  })

  const nextPass = new Map<string, number>()
  /** One pass looks at every member, so a burst of changes is worth one pass at its begin, and then one in a while. */
  const enqueueInBurst = (key: string): void => {
    const wait = (nextPass.get(key) ?? Number.NEGATIVE_INFINITY) - deps.clock.monotonic()
    if (wait > 0) controller.enqueueAfter(key, wait)
    else controller.enqueue(key)
  }

  async function reconcile(key: string): Promise<ReconcileResult> {
    const { namespace = '', name } = splitKey(key)
    const began = deps.clock.monotonic()
    const observed = observePool(deps, expectations, { namespace, name })
    if (observed === undefined) {
      expectations.forget(key)
      nextPass.delete(key)
      notes.forget(key)
      deps.specInputs.forget(key)
      await deps.metrics.forgetPool(name)
      return {}
    }
    const now = deps.clock.now()
    const plan = planPool(observed, now)
    observePoolMetrics(deps.metrics, observed.pool, plan.status)
    checkInvariants(deps, observed, plan.status)
    const members = new Map<string, KubeObject>(observed.instances.map((item) => [item.metadata.uid ?? '', item]))
    notes.publish(observed.pool, plan.notes, (about) => members.get(about.uid ?? ''))
    nextPass.set(key, began + pauseAfter(deps.clock.monotonic() - began))
    await executePool({ deps, expectations, observed, now }, plan)
    const wait = expectations.waitMs(key)
    return { requeueAfterMs: earliest(plan.requeueAfterMs, wait) }
  }

  return withSources(controller, () => sources(deps, controller, { enqueue: enqueueInBurst }))
}

const pauseAfter = (spentMs: number): number =>
  Math.min(BURST_MS.most, Math.max(BURST_MS.least, spentMs * BURST_FACTOR))

/** Not a decision: a broken one is a defect, and somebody has to hear of it. */
function checkInvariants({ metrics, log }: ControllerDeps, observed: PoolObserved, status: PoolStatus): void {
  for (const { invariant, message } of brokenInvariants(observed, status)) {
    metrics.invariantViolations.inc({ invariant })
    log.error({ ClusterPool: objectKey(observed.pool), invariant }, `broken invariant: ${message}`)
  }
}

/** A pool is looked at when it, one of its members, one of its leases or one of its bootstraps changes. */
function sources(
  { caches }: ControllerDeps,
  controller: Controller,
  inBurst: Pick<Controller, 'enqueue'>,
): (() => void)[] {
  return [
    caches.pools.on(({ type, object, old }) => {
      const mayWait = type === 'MODIFIED' && old !== undefined && isOnlyStatus(object, old)
      const { enqueue } = mayWait ? inBurst : controller
      enqueue(objectKey(object))
    }),
    enqueueOnChange(caches.instances, inBurst, ({ metadata, spec }) =>
      spec.poolRef === undefined ? [] : [keyOf(metadata.namespace, spec.poolRef.name)],
    ),
    enqueueOnChange(caches.leases, inBurst, ({ metadata, spec }) => [keyOf(metadata.namespace, spec.poolRef)]),
    enqueueOnChange(caches.bootstraps, controller, ({ metadata }) =>
      caches.pools
        .list()
        .filter((pool) => pool.spec.bootstraps.some(({ name }) => name === metadata.name))
        .map(objectKey),
    ),
  ]
}

/** Written by a pass, most of the time: it is no reason for another one at once. */
const isOnlyStatus = (now: ClusterPool, before: ClusterPool): boolean =>
  now.metadata.uid === before.metadata.uid &&
  now.metadata.generation === before.metadata.generation &&
  now.metadata.deletionTimestamp === before.metadata.deletionTimestamp &&
  isDeepStrictEqual(now.metadata.annotations, before.metadata.annotations) &&
  isDeepStrictEqual(now.metadata.finalizers, before.metadata.finalizers)

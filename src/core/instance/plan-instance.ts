/**
 * `planInstance`: what one pass over a ClusterInstance does. First match:
 * Recycling -> teardown · in use -> kept until its lease ends · Quarantined -> held · deleted, or its pool is gone -> Recycling ·
 * no finalizer yet -> finalizer, alone · Creating · Ready · Failed or Unhealthy -> waits for its pool.
 */

import { parseTimestamp } from '../../api/timestamp.ts'
import type { InstanceStatus } from '../../api/v1alpha1/cluster-instance.ts'
import { Annotation, Finalizer } from '../../api/v1alpha1/labels.ts'
import { InstancePhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { acknowledged } from '../observed-generation.ts'
import type { Plan } from '../plan.ts'
import { requeueAt } from '../requeue.ts'
import type { InstanceAction } from './action.ts'
import { planCreating } from './creating.ts'
import { statusOf } from './instance-status.ts'
import { planLeased } from './leased.ts'
import type { InstanceObserved } from './observed.ts'
import { planReady } from './ready.ts'
import { isInUse, note, type Step, toRecycling } from './step.ts'
import { planTeardown } from './teardown.ts'

/** How long an instance without a pool stays Failed before it is destroyed; a pool decides for its members at once. */
export const STANDALONE_FAILED_MS = 300_000

/** `now` is epoch milliseconds. */
export function planInstance(observed: InstanceObserved, now: number): Plan<InstanceAction, InstanceStatus> {
  const step = stepOf(observed, now)
  const requeueAfterMs = requeueAt(now, step.wakeAt ?? [])
  return {
    actions: step.actions ?? [],
    notes: step.notes ?? [],
    status: acknowledged(observed.instance, step.status ?? statusOf(observed.instance)),
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
  }
}

function stepOf(observed: InstanceObserved, now: number): Step {
  const { instance, pool } = observed
  const { phase } = statusOf(instance)
  if (phase === InstancePhase.Recycling) return planTeardown(observed, now)
  if (isInUse(observed)) return planLeased(observed, now)
  if (phase === InstancePhase.Quarantined) return quarantined(observed, now)
  if (instance.metadata.deletionTimestamp !== undefined) {
    return toRecycling(observed, { reason: Reason.Recycling, message: 'the instance was deleted: recycling' }, now)
  }
  if (pool.state === 'absent') {
    return toRecycling(observed, { reason: Reason.PoolNotFound, message: 'its pool is gone: recycling' }, now)
  }
  if (!instance.metadata.finalizers?.includes(Finalizer.instanceCleanup)) return { actions: [{ kind: 'AddFinalizer' }] }
  if (phase === InstancePhase.Creating) return planCreating(observed, now)
  return phase === InstancePhase.Ready ? planReady(observed, now) : failed(observed, now)
}

/** Held until a person gives up on it: the annotation names the reason, which goes into the Event for the audit. */
function quarantined(observed: InstanceObserved, now: number): Step {
  const { status, metadata } = observed.instance
  const release = metadata.annotations?.[Annotation.quarantineRelease]?.trim()
  if (release) {
    const message = `quarantine given up: ${release}; recycling without proof`
    return toRecycling(observed, { reason: Reason.QuarantineReleased, message }, now)
  }
  const reason = status?.quarantine?.reason ?? 'the cleanup could not be proven'
  return { notes: [note({ reason: Reason.Quarantined, message: `quarantined: ${reason}` }, 'Warning')] }
}

function failed(observed: InstanceObserved, now: number): Step {
  const { instance } = observed
  if (instance.spec.poolRef !== undefined) return {}
  const due = (parseTimestamp(instance.status?.stateSince ?? '') ?? 0) + STANDALONE_FAILED_MS
  if (now < due) return { wakeAt: [due] }
  return toRecycling(observed, { reason: Reason.UnhealthyMember, message: 'failed for 5 minutes: recycling' }, now)
}

/**
 * Ready: kept running and probed once per interval. `failureThreshold` failures in a row take it straight to Recycling. A probe
 * that changes nothing writes nothing, so an idle pool causes no writes at all.
 */
import { formatTimestamp } from '../../api/timestamp.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { settle, statusOf } from './instance-status.ts'
import type { InstanceObserved, ProbeEvidence } from './observed.ts'
import { DEFAULT_PROBE_POLICY, nextProbeAt, type ProbePolicy } from './probe-schedule.ts'
import { keepRunning, note, type Step, toRecycling } from './step.ts'

export function planReady(observed: InstanceObserved, now: number): Step {
  const { evidence } = observed
  const policy = probePolicy(observed)
  if (evidence.member?.state === 'Failed') {
    const message = `the cluster is broken: ${evidence.member.message}: recycling`
    return toRecycling(observed, { reason: Reason.UnhealthyMember, message }, now)
  }
  const { probe } = evidence
  if (probe !== undefined && probe.failuresInARow >= policy.failureThreshold) {
    const message = `health check failed ${probe.failuresInARow} times in a row (${probe.message ?? 'no details'}): recycling`
    return toRecycling(observed, { reason: Reason.HealthCheckFailed, message }, now)
  }
  const due = probeDueAt(observed, policy)
  const kept = keepRunning(observed, now)
  return {
    actions: [...(kept.actions ?? []), ...(now >= due ? [{ kind: 'ProbeMember' } as const] : [])],
    ...(probe === undefined ? {} : afterProbe(observed, probe, policy, now)),
    wakeAt: [now >= due ? now + policy.intervalMs : due, ...(kept.wakeAt ?? [])],
  }
}

/** The policy of the pool as it is now, else of the instance itself, else the defaults. */
export function probePolicy({ instance, pool }: InstanceObserved): ProbePolicy {
  const spec = pool.state === 'found' ? pool.pool.spec.healthCheck : instance.spec.healthCheck
  if (spec === undefined) return DEFAULT_PROBE_POLICY
  return { intervalMs: Math.max(1, spec.intervalSeconds) * 1000, failureThreshold: Math.max(1, spec.failureThreshold) }
}

function probeDueAt({ instance, evidence, watchingSince }: InstanceObserved, { intervalMs }: ProbePolicy): number {
  return nextProbeAt(instance.metadata.uid ?? '', intervalMs, evidence.probe?.at ?? watchingSince)
}

function afterProbe({ instance }: InstanceObserved, probe: ProbeEvidence, policy: ProbePolicy, now: number): Step {
  const before = statusOf(instance)
  if (before.healthFailures === probe.failuresInARow) return {}
  const cause = probe.healthy
    ? { reason: Reason.HealthCheckRecovered, message: 'ready; health check recovered' }
    : {
        reason: Reason.HealthCheckFailing,
        message: `health check failing (${probe.failuresInARow}/${policy.failureThreshold}): ${probe.message ?? 'no details'}`,
      }
  const status = { ...before, healthFailures: probe.failuresInARow, lastProbeTime: formatTimestamp(probe.at) }
  return { status: settle(instance, status, cause, now), notes: [note(cause, probe.healthy ? 'Info' : 'Warning')] }
}

/** Changes of an instance status: each gives the whole new status, so that one write makes one step. */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { ClusterInstance, CreatedWith, InstanceStatus } from '../../api/v1alpha1/cluster-instance.ts'
import type { SpecHashSources } from '../../api/v1alpha1/cluster-pool.ts'
import { ConditionType } from '../../api/v1alpha1/conditions.ts'
import { InstancePhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { type Finding, withFindings } from '../findings.ts'
import { field } from '../optional-field.ts'
import { sameStatus } from '../status-equality.ts'

/** What is true of a new instance before anything was written. */
export const NEW_STATUS: InstanceStatus = {
  phase: InstancePhase.Creating,
  provisioned: false,
  bootstrapped: false,
  healthFailures: 0,
  teardownIdentities: [],
}

export const statusOf = (instance: ClusterInstance): InstanceStatus => ({ ...NEW_STATUS, ...instance.status })

/** Why the instance is as it is: reason and sentence of its conditions, and `status.message`. */
export interface Cause {
  readonly reason: Reason
  readonly message: string
}

/** Whether a planned status has to be written. A missing status equals that of a new instance. */
export const instanceStatusChanged = (instance: ClusterInstance, planned: InstanceStatus): boolean =>
  !sameStatus(statusOf(instance), planned)

/** Brings `observedGeneration`, `message` and the conditions in line with the rest of the status. */
export function settle(instance: ClusterInstance, status: InstanceStatus, cause: Cause, now: number): InstanceStatus {
  const generation = field('observedGeneration', instance.metadata.generation)
  const message = cause.message.slice(0, 4096)
  // Nothing makes these Ready any more; whoever waits for it is told.
  const stalled = status.phase === InstancePhase.Failed || status.phase === InstancePhase.Quarantined
  const conditions = withFindings(
    status.conditions,
    [
      ...conditionsOf(status, message).map(({ type, holds, reason, text }): [string, Finding] => [
        type,
        holds ? { status: 'True', reason, message: text } : { status: 'False', reason: cause.reason, message },
      ]),
      [ConditionType.Stalled, stalled ? { status: 'True', reason: cause.reason, message } : undefined],
    ],
    { generation: instance.metadata.generation, now },
  )
  return { ...status, ...generation, message, conditions }
}

const conditionsOf = (status: InstanceStatus, message: string) => {
  const leased = status.phase === InstancePhase.Leased
  return [
    { type: ConditionType.Provisioned, holds: status.provisioned, reason: Reason.Provisioned, text: '' },
    {
      type: ConditionType.Ready,
      holds: leased || status.phase === InstancePhase.Ready,
      reason: leased ? Reason.Leased : Reason.Ready,
      text: message,
    },
    { type: ConditionType.Bootstrapped, holds: status.bootstrapped, reason: Reason.Bootstrapped, text: '' },
  ]
}

/** First status of a new member: its stamp, and what it was created with. */
export function createdStatus(instance: ClusterInstance, stamp: InstanceStamp, now: number): InstanceStatus {
  const { specHash, specHashVersion, specHashSources, createdWith } = stamp
  const before = statusOf(instance)
  const status: InstanceStatus = {
    ...before,
    specHash,
    specHashVersion,
    ...field('specHashSources', specHashSources),
    createdWith: before.createdWith ?? createdWith,
    stateSince: before.stateSince ?? formatTimestamp(now),
  }
  // Only a member that is still new gets new conditions; stamping one in use changes nothing but the stamp.
  if (before.phase !== InstancePhase.Creating) return status
  return settle(
    instance,
    status,
    { reason: Reason.Provisioning, message: before.message ?? 'waiting for the backend' },
    now,
  )
}

export interface InstanceStamp {
  readonly specHash: string
  readonly specHashVersion: number
  readonly specHashSources?: SpecHashSources
  readonly createdWith: CreatedWith
}

/** Out of use and to be destroyed. The reason of its Ready condition says why for as long as it lasts. */
export function recyclingStatus(instance: ClusterInstance, cause: Cause, now: number): InstanceStatus {
  const { idleSince: _idle, activeBootstrap: _bootstrap, ...before } = statusOf(instance)
  const status = { ...before, phase: InstancePhase.Recycling, stateSince: formatTimestamp(now) }
  return settle(instance, status, cause, now)
}

/** Reserved for a lease; the compare-and-swap of a binding writes this. */
export function leasedStatus(
  instance: ClusterInstance,
  binding: NonNullable<InstanceStatus['binding']>,
  now: number,
): InstanceStatus {
  const { idleSince: _idle, ...before } = statusOf(instance)
  const status = {
    ...before,
    phase: InstancePhase.Leased,
    leaseRef: { name: binding.lease.name, uid: binding.lease.uid },
    binding,
    stateSince: formatTimestamp(now),
  }
  return settle(instance, status, { reason: Reason.Leased, message: `leased by ${binding.lease.name}` }, now)
}

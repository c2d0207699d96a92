/**
 * Creating, one stage after the other; each pass does the first that is not done:
 * stamped by the pool, made by the backend, kubeconfig published, addons + gates + bootstraps passed, Ready.
 * Each stage waits by asking again; how long all of it may take is the pool's business (rule 5).
 */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { InstanceStatus } from '../../api/v1alpha1/cluster-instance.ts'
import { ConditionType, findCondition } from '../../api/v1alpha1/conditions.ts'
import { InstancePhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { type Cause, settle, statusOf } from './instance-status.ts'
import type { GateEvidence, InstanceObserved, MemberEvidence } from './observed.ts'
import { requiredGates } from './required-gates.ts'
import { arrival, ENSURE_POLL_MS, note, type Step } from './step.ts'

export const GATE_POLL_MS = 2_000

export function planCreating(observed: InstanceObserved, now: number): Step {
  const step = nextStage(observed, now)
  // Without the first stamp there is nothing to tell yet.
  const told = arrival(observed, { reason: Reason.Provisioning, message: 'its cluster is being made' }, now)
  return { ...step, notes: [...told, ...(step.notes ?? [])] }
}

function nextStage(observed: InstanceObserved, now: number): Step {
  const { instance, evidence } = observed
  const { poolRef } = instance.spec
  if (poolRef !== undefined && instance.status?.createdWith === undefined) {
    // What it is made with is written before anything is made, or a crash would leave something nobody can tear down.
    return { notes: [note({ reason: Reason.Provisioning, message: 'waiting to be stamped by its pool' }, 'Debug')] }
  }
  const { member } = evidence
  if (member === undefined) return { actions: [{ kind: 'EnsureMember' }] }
  if (member.state === 'Failed')
    return failed(observed, { reason: Reason.ProvisioningFailed, message: member.message }, now)
  if (member.state !== 'Running') return onItsWay(observed, member, now)
  if (evidence.kubeconfigPublished !== true) return { actions: [{ kind: 'PublishKubeconfig' }] }
  return hasGates(observed) ? throughGates(observed, now) : ready(observed, now)
}

function onItsWay(observed: InstanceObserved, member: MemberEvidence, now: number): Step {
  const { instance } = observed
  const blocked = member.state === 'Unschedulable'
  const reason = blocked ? Reason.Unschedulable : Reason.Provisioning
  const before = statusOf(instance)
  const wasBlocked = findCondition(before.conditions, ConditionType.Provisioned)?.reason === Reason.Unschedulable
  // Time without a place on the host does not count against it.
  const stateSince = wasBlocked && !blocked ? formatTimestamp(now) : before.stateSince
  const status = { ...before, ...(stateSince === undefined ? {} : { stateSince }) }
  const due = member.at + ENSURE_POLL_MS
  return {
    actions: now >= due ? [{ kind: 'EnsureMember' }] : [],
    notes: blocked ? [note({ reason, message: `no room on the host: ${member.message}` }, 'Warning')] : [],
    status: settle(instance, status, { reason, message: member.message }, now),
    wakeAt: [now >= due ? now + ENSURE_POLL_MS : due],
  }
}

function hasGates(observed: InstanceObserved): boolean {
  const { instance, pool } = observed
  const { addons, bootstraps } = pool.state === 'found' ? pool.pool.spec : instance.spec
  return requiredGates(observed).length + addons.length + bootstraps.length > 0
}

function throughGates(observed: InstanceObserved, now: number): Step {
  const { gates } = observed.evidence
  if (gates?.passed === true) return ready(observed, now)
  if (gates?.failed === true) {
    return failed(observed, { reason: Reason.BootstrapFailed, message: gates.message ?? 'a bootstrap failed' }, now)
  }
  const due = (gates?.at ?? 0) + GATE_POLL_MS
  return {
    actions: now >= due ? [{ kind: 'CheckGates' }] : [],
    status: waitingForGates(observed, gates, now),
    notes: gates?.message === undefined ? [] : [note({ reason: gateReason(gates), message: gates.message })],
    wakeAt: [now >= due ? now + GATE_POLL_MS : due],
  }
}

function waitingForGates({ instance }: InstanceObserved, gates: GateEvidence | undefined, now: number): InstanceStatus {
  const { activeBootstrap: _before, ...before } = statusOf(instance)
  const active = gates?.activeBootstrap
  const status = { ...before, provisioned: true, ...(active === undefined ? {} : { activeBootstrap: active }) }
  return settle(
    instance,
    status,
    { reason: gateReason(gates), message: gates?.message ?? 'waiting for the readiness gates' },
    now,
  )
}

const gateReason = (gates: GateEvidence | undefined): Reason =>
  gates?.activeBootstrap === undefined ? Reason.GateNotReady : Reason.Bootstrapping

function ready({ instance }: InstanceObserved, now: number): Step {
  const { activeBootstrap: _done, ...before } = statusOf(instance)
  const at = formatTimestamp(now)
  const cause: Cause = { reason: Reason.Ready, message: 'ready' }
  const status = {
    ...before,
    phase: InstancePhase.Ready,
    provisioned: true,
    bootstrapped: true,
    idleSince: at,
    stateSince: at,
    readySince: before.readySince ?? at,
    healthFailures: 0,
  }
  return { status: settle(instance, status, cause, now), notes: [note(cause)] }
}

function failed({ instance }: InstanceObserved, cause: Cause, now: number): Step {
  const status = { ...statusOf(instance), phase: InstancePhase.Failed, stateSince: formatTimestamp(now) }
  return { status: settle(instance, status, cause, now), notes: [note(cause, 'Warning')] }
}

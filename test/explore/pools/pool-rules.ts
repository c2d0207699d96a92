/** The rules of `planPool`, each as a question to one plan. Only what the contract says; how the planner counts is its own. */

import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { PoolStatus } from '../../../src/api/v1alpha1/cluster-pool.ts'
import type { Plan } from '../../../src/core/plan.ts'
import type { PoolAction } from '../../../src/core/pool/action.ts'
import type { PoolObserved } from '../../../src/core/pool/observed.ts'
import { momentOf } from './encode-status.ts'

const CREATING_TIMEOUT_MS = 600_000

type Recycle = Extract<PoolAction, { kind: 'RecycleInstance' }>

interface Case {
  readonly observed: PoolObserved
  readonly now: number
  readonly status: PoolStatus
  readonly recycles: readonly Recycle[]
  readonly creates: ReadonlyArray<Extract<PoolAction, { kind: 'CreateInstance' }>>
  readonly hash: string
  readonly inBackoff: boolean
  readonly warm: number
  readonly ceiling: number
  readonly surge: number
  readonly maxRecycling: number
  readonly readyMembers: readonly ClusterInstance[]
  readonly queue: number
}

type Rule = (given: Case) => ReadonlyArray<string | false>

export function planViolations(observed: PoolObserved, plan: Plan<PoolAction, PoolStatus>, now: number): string[] {
  const given = caseOf(observed, plan, now)
  const always = [...bucketsAddUp(given), ...phaseFits(given)]
  const { metadata } = observed.pool
  const rules = metadata.deletionTimestamp === undefined && (metadata.finalizers ?? []).length > 0 ? RULES : []
  return [...always, ...rules.flatMap((rule) => rule(given))].filter((message) => message !== false)
}

function caseOf(observed: PoolObserved, plan: Plan<PoolAction, PoolStatus>, now: number): Case {
  const { pool, specHash } = observed
  const { scaling, size, upgradePolicy } = pool.spec
  const warm = scaling?.minReady ?? size
  return {
    observed,
    now,
    status: plan.status,
    recycles: plan.actions.filter((action) => action.kind === 'RecycleInstance'),
    creates: plan.actions.filter((action) => action.kind === 'CreateInstance'),
    hash: specHash.state === 'known' ? specHash.hash : '',
    inBackoff: now < (momentOf(plan.status.nextAttemptAt ?? '') ?? 0),
    warm,
    ceiling: scaling?.maxClusters ?? size + 10,
    surge: warm === 0 ? 0 : (upgradePolicy?.maxSurge ?? 1),
    maxRecycling: upgradePolicy?.maxRecycling ?? 1,
    readyMembers: observed.instances.filter((instance) => phaseOf(instance) === 'Ready'),
    queue: observed.leases.filter(
      ({ metadata, status }) =>
        (status?.phase ?? 'Pending') === 'Pending' && !status?.binding && metadata.deletionTimestamp === undefined,
    ).length,
  }
}

/** Phase, with what counts more than it: a lease makes it Leased, a deletion Recycling. */
function phaseOf({ metadata, status }: ClusterInstance): string {
  const phase = status?.phase ?? 'Creating'
  if (phase === 'Recycling' || phase === 'Quarantined') return phase
  if (status?.leaseRef || status?.binding) return 'Leased'
  return metadata.deletionTimestamp === undefined ? phase : 'Recycling'
}

const goes = (given: Case, { metadata }: ClusterInstance): Recycle | undefined =>
  given.recycles.find(({ uid }) => uid === metadata.uid)

const isDrifted = (given: Case, { status }: ClusterInstance): boolean =>
  status?.specHash !== undefined && status.specHash !== given.hash

const sinceOf = ({ metadata, status }: ClusterInstance): number =>
  momentOf(status?.stateSince ?? metadata.creationTimestamp ?? '') ?? 0

const isBlocked = ({ status }: ClusterInstance): boolean =>
  status?.conditions?.some(({ type, reason }) => type === 'Provisioned' && reason === 'Unschedulable') ?? false

const isStuck = (given: Case, instance: ClusterInstance): boolean =>
  phaseOf(instance) === 'Creating' && !isBlocked(instance) && given.now - sinceOf(instance) > CREATING_TIMEOUT_MS

function bucketsAddUp({ status, observed }: Case): string[] {
  const sum = status.ready + status.leased + status.creating + status.recycling + status.unhealthy + status.quarantined
  return sum === observed.instances.length ? [] : [`I3: the buckets add up to ${sum} of ${observed.instances.length}`]
}

function phaseFits({ status, inBackoff, observed, warm, queue }: Case): Array<string | false> {
  const usable = status.ready + status.leased
  const floor = observed.pool.spec.upgradePolicy?.minReadyDuringUpgrade ?? warm
  const enough = usable >= Math.min(floor, warm, observedCeiling(observed)) && queue === 0 && status.quarantined === 0
  const failing = (status.consecutiveFailures ?? 0) >= 3 && usable === 0
  const idle = observed.instances.length === 0 && warm === 0 && queue === 0
  const expected = failing ? 'Failing' : inBackoff ? 'Backoff' : idle ? 'Idle' : undefined
  return [
    expected !== undefined && status.phase !== expected && `Phase: ${status.phase} instead of ${expected}`,
    expected === undefined &&
      ['Failing', 'Backoff', 'Idle'].includes(status.phase ?? '') &&
      `Phase: ${status.phase} without cause`,
    status.upgrade !== undefined &&
      expected === undefined &&
      enough &&
      status.phase !== 'Healthy' &&
      `Phase: ${status.phase} in a normal upgrade`,
    status.upgrade !== undefined && status.phase === 'ScalingDown' && 'Phase: an upgrade shows as ScalingDown',
    status.phase === 'Healthy' &&
      status.upgrade === undefined &&
      usable < warm &&
      usable < observedCeiling(observed) &&
      `Phase: Healthy with ${usable} of ${warm}`,
  ]
}

const observedCeiling = ({ pool }: PoolObserved): number => pool.spec.scaling?.maxClusters ?? pool.spec.size + 10

const ownWritesUnseen: Rule = ({ observed, creates, recycles, ...given }) => [
  !observed.expectationsMet && creates.length > 0 && 'R0: a create while own writes are not seen',
  !observed.expectationsMet &&
    recycles.some(
      ({ reason, cause }) => reason === 'scale_down' || (reason === 'spec_drift' && cause === 'DriftedReady'),
    ) &&
    `R0: a member is counted away while own writes are not seen (${given.queue})`,
]

const unhealthyGo: Rule = (given) =>
  given.observed.instances
    .filter((instance) => ['Unhealthy', 'Failed'].includes(phaseOf(instance)))
    .map((instance) => goes(given, instance) === undefined && 'R1: an unhealthy member stays')

const backoffHolds: Rule = ({ inBackoff, creates, recycles }) => [
  inBackoff && creates.length > 0 && 'R2: a create in backoff',
  inBackoff &&
    recycles.some(({ reason }) => reason === 'spec_drift' || reason === 'scale_down') &&
    'R2: a recycle in backoff',
]

const driftedCreatingGoes: Rule = (given) =>
  given.observed.instances
    .filter((instance) => phaseOf(instance) === 'Creating' && isDrifted(given, instance) && !given.inBackoff)
    .map((instance) => goes(given, instance) === undefined && 'R3: a drifted Creating member stays')

const driftedReadyGoesInOrder: Rule = (given) => {
  const drifted = given.readyMembers.filter((instance) => isDrifted(given, instance))
  const going = given.readyMembers.filter((instance) => goes(given, instance)?.reason === 'spec_drift')
  const chosen = new Set(
    given.observed.leases.flatMap(({ status }) =>
      status?.phase === 'Pending' ? (status.binding?.instance.uid ?? []) : [],
    ),
  )
  const free = drifted.filter(({ metadata }) => !chosen.has(metadata.uid ?? ''))
  return [
    going.length > given.maxRecycling &&
      `R4: ${going.length} drifted members go in one pass, at most ${given.maxRecycling} may`,
    going.some((instance) => !isDrifted(given, instance)) && 'R4: a clean member goes for drift',
    going.some(({ metadata }) => chosen.has(metadata.uid ?? '')) &&
      'R4: a member that a lease has chosen goes for drift',
    going.some((instance, place) => instance !== free[place]) && 'R4: not the oldest goes first',
  ]
}

const stuckCreatingGoes: Rule = (given) => [
  given.observed.instances.some((instance) => isStuck(given, instance) && goes(given, instance) === undefined) &&
    'R5: a stuck Creating member stays',
  given.recycles.some(({ reason, uid }) => {
    const instance = given.observed.instances.find(({ metadata }) => metadata.uid === uid)
    return reason === 'stuck_creating' && instance !== undefined && !isStuck(given, instance)
  }) && 'R5: a Creating member goes before its time, or for want of a place',
]

const createsFit: Rule = (given) => {
  const { creates, observed, ceiling, warm, surge, queue, readyMembers, maxRecycling, inBackoff } = given
  const members = observed.instances.length
  const creating = observed.instances.filter((instance) => phaseOf(instance) === 'Creating')
  const staying = creating.filter((instance) => goes(given, instance) === undefined)
  const clean = staying.filter((instance) => !isDrifted(given, instance)).length
  const ready = readyMembers.filter((instance) => goes(given, instance) === undefined)
  const drifted = ready.filter((instance) => isDrifted(given, instance)).length
  const extra = maxRecycling === 0 ? 0 : Math.min(surge, drifted)
  const recent = observed.instances.filter((instance) => phaseOf(instance) === 'Leased').length
  const most = warm + extra + queue + (observed.pool.spec.scaling === undefined ? 0 : recent)
  // A member that a waiting lease has chosen no longer counts.
  const chosen =
    readyMembers.length > 0
      ? observed.leases.filter(({ status }) => status?.phase === 'Pending' && status.binding).length
      : 0
  const have = ready.length + clean
  const room = members < ceiling && !creating.some(isBlocked) && observed.expectationsMet && !inBackoff
  const highest = observed.pool.status?.highestIndex ?? 0
  return [
    creates.length > 0 &&
      members + creates.length > ceiling &&
      `R6: ${members} members and ${creates.length} creates, the ceiling is ${ceiling}`,
    creates.length > 0 &&
      have + creates.length > most + chosen &&
      `R6: ${have} members and ${creates.length} creates, ${most} wanted`,
    creates.length === 0 &&
      room &&
      have < warm + extra + queue &&
      `R6: ${have} of ${warm + extra + queue} members and no create`,
    creates.length > 0 &&
      creating.some((instance) => isBlocked(instance) && goes(given, instance) === undefined) &&
      'R6: a create on a full host',
    creates.some(({ index }) => index <= highest) && 'R6: the number of a member is used again',
    creates.some(({ index }) => index > (given.status.highestIndex ?? 0)) &&
      'R6: the highest number is not recorded before the create',
  ]
}

const scaleDownFits: Rule = (given) => {
  const down = given.readyMembers.filter((instance) => goes(given, instance)?.reason === 'scale_down')
  const left = given.readyMembers.filter((instance) => goes(given, instance) === undefined).length
  const drifted = given.readyMembers.some((instance) => isDrifted(given, instance))
  const { scaling } = given.observed.pool.spec
  const upgrading = given.observed.pool.status?.upgrade !== undefined
  const young = down.filter(({ status }) => given.now - (momentOf(status?.idleSince ?? '') ?? 0) < 300_000).length
  return [
    down.length > 0 && drifted && 'R7: scale-down while a Ready member is drifted',
    down.length > 0 && left < given.warm + given.queue && `R7: scale-down leaves ${left} Ready, ${given.warm} wanted`,
    scaling !== undefined && young > (upgrading ? given.surge : 0) && 'R7: a surplus member goes before its idle time',
  ]
}

/** A failure is on record before its member goes, and counts once. */
const failuresRecorded: Rule = (given) => {
  const { status, observed, recycles } = given
  const recorded = new Set((status.failures ?? []).map(({ uid }) => uid))
  const before = observed.pool.status
  const fresh = (status.failures ?? []).filter(
    ({ uid }) => !before?.failures?.some((record) => record.uid === uid),
  ).length
  const most = (before?.consecutiveFailures ?? 0) + fresh
  return [
    recycles.some(({ uid }) => {
      const instance = observed.instances.find(({ metadata }) => metadata.uid === uid)
      if (instance === undefined || isDrifted(given, instance)) return false
      return (isStuck(given, instance) || instance.status?.phase === 'Failed') && !recorded.has(uid)
    }) && 'Failures: a failed member goes without a record',
    (status.consecutiveFailures ?? 0) > most && 'Failures: one failure counts twice',
    fresh > 0 && (status.consecutiveFailures ?? 0) === 0 && 'Failures: a failure does not count',
    before?.currentSpecHash !== undefined &&
      before.currentSpecHash !== given.hash &&
      (status.consecutiveFailures ?? 0) > fresh &&
      'I14: a new template does not clear the failures of the one before',
  ]
}

const RULES: readonly Rule[] = [
  ownWritesUnseen,
  unhealthyGo,
  backoffHolds,
  driftedCreatingGoes,
  driftedReadyGoesInOrder,
  stuckCreatingGoes,
  createsFit,
  scaleDownFits,
  failuresRecorded,
]

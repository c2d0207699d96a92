/**
 * Conditions of a pool, as kstatus reads them: `Reconciling` and `Stalled` are present only while true and never together,
 * `Ready` says whether the pool is what its spec asks for. Waiting is Reconciling; only what needs a person is Stalled.
 */
import type { PoolStatus, UpgradeStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { ConditionType } from '../../api/v1alpha1/conditions.ts'
import { PoolPhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { type Finding, type Findings, withFindings } from '../findings.ts'
import type { Draft, PoolFacts } from './facts.ts'
import { floorNever } from './floor-never.ts'
import { healthyAt } from './phase.ts'
import type { Target } from './target.ts'
import { unsupportedMessage } from './unsupported.ts'

export interface ConditionContext {
  readonly facts: PoolFacts
  readonly draft: Draft
  readonly phase: PoolPhase
  readonly target: Target
  readonly upgrade?: UpgradeStatus
}

export function poolConditions(context: ConditionContext): NonNullable<PoolStatus['conditions']> {
  const stalled = stalledFinding(context)
  const findings: Findings = [
    [ConditionType.Ready, readyFinding(context)],
    [ConditionType.Available, availableFinding(context)],
    [ConditionType.Upgrading, upgradingFinding(context)],
    [ConditionType.CapacityBlocked, capacityFinding(context)],
    [ConditionType.Reconciling, stalled === undefined ? reconcilingFinding(context) : undefined],
    [ConditionType.Stalled, stalled],
  ]
  const { pool } = context.facts.observed
  return withFindings(pool.status?.conditions, findings, {
    generation: pool.metadata.generation,
    now: context.facts.now,
  })
}

const yes = (reason: Reason, message: string): Finding => ({ status: 'True', reason, message })
const no = (reason: Reason, message: string): Finding => ({ status: 'False', reason, message })

function readyFinding({ facts, phase, upgrade }: ConditionContext): Finding {
  const { by, observed, queueDepth } = facts
  const wanted = healthyAt(facts, upgrade !== undefined)
  const usable = by.ready.length + by.leased.length
  const counts = `${by.ready.length} Ready and ${by.leased.length} leased, ${wanted} wanted, ${queueDepth} waiting`
  if (observed.pool.metadata.deletionTimestamp !== undefined) return no(Reason.PoolDeleting, `being deleted: ${counts}`)
  if (phase === PoolPhase.Quarantined)
    return no(Reason.Quarantined, `${by.quarantined.length} member(s) quarantined: ${counts}`)
  if (phase === PoolPhase.Failing)
    return no(Reason.Failing, `${facts.failures.consecutive} creation failures in a row: ${counts}`)
  if (phase === PoolPhase.Idle) return yes(Reason.Idle, 'scaled to zero; the next lease creates a member')
  if (usable >= wanted) return yes(Reason.AtTarget, counts)
  return no(phase === PoolPhase.Backoff ? Reason.Backoff : Reason.Warming, counts)
}

function availableFinding({ facts, phase }: ConditionContext): Finding {
  const { by, failures } = facts
  if (by.ready.length > 0) return yes(Reason.Ready, `${by.ready.length} member(s) can be leased now`)
  const why: Partial<Record<PoolPhase, Finding>> = {
    [PoolPhase.Quarantined]: no(Reason.Quarantined, 'no member is free, and quarantined ones hold their places'),
    [PoolPhase.Failing]: no(Reason.Failing, `no member is free: ${failures.lastReason ?? 'members fail to come up'}`),
    [PoolPhase.Backoff]: no(Reason.Backoff, 'no member is free, and creation pauses after a failure'),
    [PoolPhase.Idle]: no(Reason.Idle, 'scaled to zero; the next lease creates a member'),
  }
  const found = why[phase]
  if (found !== undefined) return found
  if (by.creating.length > 0) return no(Reason.Warming, `no member is free, ${by.creating.length} on the way`)
  return by.leased.length > 0
    ? no(Reason.AllLeased, 'every member is leased')
    : no(Reason.Warming, 'no member is free yet')
}

function upgradingFinding({ facts, upgrade }: ConditionContext): Finding {
  const { options, by } = facts
  const leased = by.leased.filter((member) => member.drifted).length
  if (upgrade === undefined) {
    const rest = leased === 0 ? '' : `; ${leased} leased member(s) are replaced when their leases end`
    return no(Reason.UpgradeComplete, `no free member is outdated${rest}`)
  }
  const progress = `${upgrade.remaining} outdated member(s) left, ${leased} of them leased; maxRecycling ${options.maxRecycling}, maxSurge ${options.maxSurge}, floor ${options.floor}`
  return yes(options.maxRecycling === 0 ? Reason.UpgradePaused : Reason.Upgrading, progress)
}

function capacityFinding({ facts, target }: ConditionContext): Finding {
  const { by, members, options } = facts
  const blocked = by.creating.filter((member) => member.unschedulable)
  if (blocked.length > 0) {
    return yes(
      Reason.CapacityBlocked,
      `the host has no room for ${blocked.length} member(s): ${blocked[0]?.message ?? ''}`,
    )
  }
  if (by.quarantined.length > 0 && members.length >= options.ceiling && target.have < target.total) {
    return yes(
      Reason.Quarantined,
      `${by.quarantined.length} quarantined member(s) hold places under the ceiling of ${options.ceiling}`,
    )
  }
  return no(Reason.AtTarget, 'every member has its place')
}

function stalledFinding({ facts }: ConditionContext): Finding | undefined {
  const { unsupported, observed, options, by } = facts
  if (unsupported.length > 0)
    return yes(Reason.Unsupported, unsupportedMessage(observed.pool.spec.backend.type, unsupported))
  const drifted = by.ready.filter((member) => member.drifted).length
  const never = floorNever(facts)
  return drifted > 0 && options.maxRecycling > 0 && never !== undefined
    ? yes(Reason.FloorNeverSatisfied, `${drifted} outdated member(s) can never be replaced: ${never}`)
    : undefined
}

function reconcilingFinding({ facts, phase, upgrade }: ConditionContext): Finding | undefined {
  const { observed, by, failures } = facts
  const { specHash, pool } = observed
  if (pool.metadata.deletionTimestamp !== undefined) return yes(Reason.PoolDeleting, 'waiting for the members to go')
  if (specHash.state === 'unreadable') return yes(Reason.BootstrapUnreadable, specHash.message)
  if (phase === PoolPhase.Backoff || phase === PoolPhase.Failing) {
    return yes(Reason.Backoff, `trying again after ${failures.consecutive} failure(s): ${failures.lastReason ?? ''}`)
  }
  if (upgrade !== undefined) return yes(Reason.Upgrading, `${upgrade.remaining} outdated member(s) left`)
  if (phase === PoolPhase.ScalingDown) return yes(Reason.ScalingDown, 'removing surplus members')
  const usable = by.ready.length + by.leased.length
  const wanted = healthyAt(facts, false)
  return usable < wanted ? yes(Reason.ScalingUp, `${usable} of ${wanted} member(s) Ready or leased`) : undefined
}

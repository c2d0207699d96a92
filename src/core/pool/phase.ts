/**
 * The phase of a pool: a summary for people and for public clients, computed last and read by no rule. First match:
 * Quarantined, Failing, Backoff, Idle, ScalingDown, Healthy, ScalingUp.
 */
import { PoolPhase } from '../../api/v1alpha1/phases.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import type { Draft, PoolFacts } from './facts.ts'
import { inBackoff } from './rules/rule-2-backoff.ts'

/** So many creation failures in a row, with nothing usable, and the pool is Failing. */
export const FAILING_AFTER = 3

export function phaseOf(facts: PoolFacts, draft: Draft, upgrading: boolean): PoolPhase {
  const { by, members, options, queueDepth, failures } = facts
  const usable = by.ready.length + by.leased.length
  if (by.quarantined.length > 0) return PoolPhase.Quarantined
  if (failures.consecutive >= FAILING_AFTER && usable === 0) return PoolPhase.Failing
  if (inBackoff(facts)) return PoolPhase.Backoff
  if (members.length === 0 && options.warm === 0 && queueDepth === 0) return PoolPhase.Idle
  if (!upgrading && isScalingDown(facts, draft)) return PoolPhase.ScalingDown
  return isWhole(facts, upgrading) ? PoolPhase.Healthy : PoolPhase.ScalingUp
}

function isWhole(facts: PoolFacts, upgrading: boolean): boolean {
  const usable = facts.by.ready.length + facts.by.leased.length
  // Scaled to zero with somebody waiting: nothing is missing by the numbers, but the pool is on its way up.
  const serves = upgrading || facts.queueDepth === 0 || usable > 0
  return serves && usable >= healthyAt(facts, upgrading)
}

/** Ready + Leased at which the pool counts as whole. During an upgrade the floor is enough: that is what was asked for. */
export function healthyAt({ options }: PoolFacts, upgrading: boolean): number {
  const target = Math.min(options.warm, options.ceiling)
  return upgrading ? Math.min(options.floor, target) : target
}

function isScalingDown({ by }: PoolFacts, draft: Draft): boolean {
  const going = by.recycling.some((member) => member.recycleCause === Reason.ScalingDown)
  return (
    going || draft.actions.some((action) => action.kind === 'RecycleInstance' && action.cause === Reason.ScalingDown)
  )
}

/** How many members should be Ready or on their way: `warm + surge + queue`, and what outrunning demand adds. */
import { type Draft, type PoolFacts, remaining } from './facts.ts'

export interface Target {
  readonly warm: number
  /** Extra members while drifted Ready ones remain. */
  readonly surge: number
  readonly queue: number
  /** Scaling pools with few Ready members: those leased so recently that demand has outrun creation. */
  readonly demand: number
  readonly total: number
  /** Ready and clean Creating members that count towards it. */
  readonly have: number
}

export function targetOf(facts: PoolFacts, draft: Draft): Target {
  const { options, queueDepth, by, claimed } = facts
  const ready = remaining(by.ready, draft).filter((member) => !claimed.has(member.uid))
  const creating = remaining(by.creating, draft).filter((member) => !member.drifted)
  const drifted = ready.filter((member) => member.drifted).length
  const surge = options.maxRecycling === 0 ? 0 : Math.min(options.maxSurge, drifted)
  const demand = outrunDemand(facts, ready.length)
  const { warm } = options
  return {
    warm,
    surge,
    queue: queueDepth,
    demand,
    total: warm + surge + queueDepth + demand,
    have: ready.length + creating.length,
  }
}

function outrunDemand({ options, by, now }: PoolFacts, ready: number): number {
  const { scaleDownAfterMs } = options
  if (!options.scales || scaleDownAfterMs === undefined || ready > options.scaleUpThreshold) return 0
  return by.leased.filter((member) => now - member.since < scaleDownAfterMs).length
}

/** When members that were leased of late stop counting as demand: the target falls then, without any event. */
export function demandEnds({ options, by }: PoolFacts): number[] {
  const { scales, scaleDownAfterMs } = options
  return scales && scaleDownAfterMs !== undefined ? by.leased.map((member) => member.since + scaleDownAfterMs) : []
}

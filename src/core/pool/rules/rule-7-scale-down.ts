/**
 * Rule 7. Removes surplus Ready members, longest idle first. Nothing goes while a Ready member is drifted, also when paused:
 * surge and drift are settled first. [doc + ours]
 * - Surplus of an upgrade that is over, and of a fixed pool, goes at once.
 * - Other surplus of a scaling pool goes after `scaleDownAfter` without use.
 * - A member that the host has no room for goes as soon as it is not needed.
 */
import { Reason } from '../../../api/v1alpha1/reasons.ts'
import { type Draft, type PoolFacts, type PoolRule, recycle, remaining } from '../facts.ts'
import type { Member } from '../member.ts'
import { targetOf } from '../target.ts'

export const scaleDownRule: PoolRule = {
  name: 'scale-down',
  inBackoff: false,
  unseenWrites: false,
  apply(facts, draft) {
    // The template is unknown: nobody can say that nothing is drifted.
    if (facts.observed.specHash.state !== 'known') return {}
    if (facts.by.ready.some((member) => member.drifted)) return {}
    const needed = targetOf(facts, draft).total
    const free = remaining(facts.by.ready, draft).filter((member) => !facts.claimed.has(member.uid))
    const surplus = free.length - needed
    const blocked = surplusBlocked(facts, draft, surplus)
    const { gone, wakeAt } = surplusReady(facts, free, surplus)
    const cause = facts.observed.pool.status?.upgrade === undefined ? Reason.ScalingDown : Reason.SurgeSurplus
    const recycled = [...gone, ...blocked].map((member) =>
      recycle(member, {
        reason: 'scale_down',
        cause,
        message: `Surplus: ${free.length} Ready, ${needed} needed; recycling`,
      }),
    )
    return { actions: recycled.map(({ action }) => action), notes: recycled.map(({ note }) => note), wakeAt }
  },
}

function surplusReady({ options, observed, now }: PoolFacts, free: readonly Member[], surplus: number) {
  if (surplus <= 0) return { gone: [], wakeAt: [] }
  const byIdle = [...free].sort((left, right) => left.idleSince - right.idleSince || left.index - right.index)
  const atOnce = options.scales ? surgeSurplus(observed.pool.status?.upgrade !== undefined, options.maxSurge) : surplus
  const { scaleDownAfterMs } = options
  const due = (member: Member): number => member.idleSince + (scaleDownAfterMs ?? Number.POSITIVE_INFINITY)
  const gone = byIdle.slice(0, surplus).filter((member, place) => place < atOnce || due(member) <= now)
  const wakeAt = byIdle.slice(0, surplus).map(due).filter(Number.isFinite)
  return { gone, wakeAt }
}

const surgeSurplus = (upgrading: boolean, maxSurge: number): number => (upgrading ? maxSurge : 0)

function surplusBlocked({ by }: PoolFacts, draft: Draft, surplusOfReady: number): Member[] {
  const blocked = remaining(by.creating, draft).filter((member) => member.unschedulable)
  const creating = remaining(by.creating, draft).length
  return blocked.slice(0, Math.max(0, Math.min(blocked.length, surplusOfReady + creating)))
}

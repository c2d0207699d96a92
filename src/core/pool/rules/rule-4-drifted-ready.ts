/**
 * Rule 4. Drifted Ready members are replaced a few at a time, oldest first, and only while all of these hold:
 * - `maxRecycling` is not used up. Members of an earlier pass that are still Recycling for drift count, so passes driven by
 *   events cannot exceed it; one that hangs for longer than `creatingTimeout` no longer counts, so it never stalls an upgrade.
 * - total Ready, clean or drifted, stays at or above the floor.
 * - it is not the last Ready member while a surge member can still be placed or is on its way (floor 0 means "do not wait
 *   for ever", not "go dark"; size 1 with surge 1 and floor 0 gets its replacement first). [doc + ours]
 */
import { Reason } from '../../../api/v1alpha1/reasons.ts'
import { spend } from '../../fleet/budget.ts'
import { type Draft, memberNote, oldestFirst, type PoolFacts, type PoolRule, recycle, remaining } from '../facts.ts'
import type { Member } from '../member.ts'

/** Documented log lines. */
export const DRIFTED_READY = 'Drifted Ready: rolling recycle'
export const HOLDING = 'Holding drift recycle: floor would be violated'

export const driftedReadyRule: PoolRule = {
  name: 'drifted-ready',
  inBackoff: false,
  unseenWrites: false,
  apply(facts, draft) {
    const ready = remaining(facts.by.ready, draft)
    const candidates = ready.filter((member) => member.drifted && !facts.claimed.has(member.uid)).sort(oldestFirst)
    const [first] = candidates
    if (first === undefined) return {}
    // Their replacement could never become Ready.
    if (facts.unsupported.length > 0) return {}
    const { allowed, hold } = decide(facts, draft, candidates.length)
    const gone = candidates
      .slice(0, allowed)
      .map((member) => recycle(member, { reason: 'spec_drift', cause: Reason.DriftedReady, message: DRIFTED_READY }))
    const next = candidates[allowed]
    const held = next === undefined || hold === undefined ? [] : [memberNote(next, hold)]
    return {
      actions: gone.map(({ action }) => action),
      notes: [...gone.map(({ note }) => note), ...held],
      wakeAt: driftInFlight(facts).map((member) => member.since + facts.options.creatingTimeoutMs),
    }
  },
}

/** Members being recycled for drift that still count against `maxRecycling`. */
export const driftInFlight = ({ by, options, now }: PoolFacts): readonly Member[] =>
  by.recycling.filter((member) => isDriftRecycle(member) && now - member.since <= options.creatingTimeoutMs)

export const isDriftRecycle = (member: Member): boolean =>
  member.recycleCause === Reason.DriftedReady || member.recycleCause === Reason.DriftedCreating

interface Decision {
  readonly allowed: number
  readonly hold?: { readonly reason: Reason; readonly message: string; readonly level?: 'Debug' }
}

function decide(facts: PoolFacts, draft: Draft, wanted: number): Decision {
  const { options, named, by } = facts
  if (options.maxRecycling === 0) {
    return {
      allowed: 0,
      hold: {
        reason: Reason.UpgradePaused,
        message: `Upgrade paused: maxRecycling is 0, ${wanted} drifted Ready member(s) stay`,
      },
    }
  }
  // A member that a lease names leaves Ready in a moment, or has left it unseen: it is no reserve.
  const available = remaining(by.ready, draft).filter((member) => !named.has(member.uid)).length
  const recycledNow = [...draft.recycled.values()].filter((reason) => reason === 'spec_drift').length
  const inFlight = driftInFlight(facts).length + recycledNow
  const keep = mustKeepOne(facts, draft) ? 1 : 0
  const budget = { available, floor: Math.max(options.floor, keep), limit: options.maxRecycling, inFlight }
  const { allowed, heldBy } = spend(budget, wanted)
  if (heldBy === 'none') return { allowed }
  if (heldBy === 'limit') return { allowed, hold: limited(inFlight + allowed, options.maxRecycling) }
  const left = available - allowed
  return { allowed, hold: left <= options.floor ? floorHold(left, options.floor) : surgeHold(left) }
}

/** Whether a replacement can be had first, so that the last Ready member has to wait for it. */
function mustKeepOne({ options, by, members, now }: PoolFacts, draft: Draft): boolean {
  if (options.maxSurge === 0) return false
  const clean = remaining(by.creating, draft).filter((member) => !member.drifted)
  if (clean.some((member) => member.unschedulable)) return false
  // Members on their way out give their place back soon, unless their delete hangs.
  const going = by.recycling.filter((member) => now - member.since <= options.creatingTimeoutMs)
  const leaving = going.length + draft.recycled.size
  return clean.length > 0 || members.length - leaving < options.ceiling
}

const limited = (inFlight: number, limit: number) => ({
  reason: Reason.RecyclingLimited,
  message: `Holding drift recycle: ${inFlight} of at most ${limit} member(s) are being recycled`,
  level: 'Debug' as const,
})

const floorHold = (ready: number, floor: number) => ({
  reason: Reason.HoldingForFloor,
  message: `${HOLDING} (ready ${ready}, floor ${floor})`,
})

const surgeHold = (ready: number) => ({
  reason: Reason.HoldingForSurge,
  message: `Holding drift recycle: the last ${ready} Ready member stays until its replacement is Ready`,
})

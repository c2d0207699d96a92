/**
 * Follows an upgrade from the first drifted member that is seen Ready or Creating until Ready + Leased is back at the warm
 * target, nothing outdated is left but leased members, and the surge is gone. Leased members never hold it open: they are
 * replaced when their leases end.
 */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { UpgradeStatus } from '../../api/v1alpha1/cluster-pool.ts'
import type { Draft, PoolFacts } from './facts.ts'
import type { Member } from './member.ts'
import { ownWritesUnseen } from './rules/rule-0-expectations.ts'
import { inBackoff } from './rules/rule-2-backoff.ts'
import { isDriftRecycle } from './rules/rule-4-drifted-ready.ts'

export function upgradeOf(facts: PoolFacts, draft: Draft): UpgradeStatus | undefined {
  const { observed, by, now } = facts
  const before = observed.pool.status?.upgrade
  if (observed.specHash.state !== 'known') return before
  const pending = [...by.ready, ...by.creating].filter((member) => member.drifted)
  if (pending.length === 0 && (before === undefined || isOver(facts, draft))) return undefined
  const oldHash = before === undefined ? commonHash(pending) : before.oldHash
  return {
    startedAt: before?.startedAt ?? formatTimestamp(now),
    ...(oldHash === undefined ? {} : { oldHash }),
    newHash: observed.specHash.hash,
    remaining: driftedCount(facts),
  }
}

/** Outdated members in use or usable, leased ones included. */
export const driftedCount = ({ by }: PoolFacts): number =>
  [...by.ready, ...by.creating, ...by.leased].filter((member) => member.drifted).length

function isOver(facts: PoolFacts, draft: Draft): boolean {
  const { by, options } = facts
  // With a gate closed nobody has looked for a surplus yet.
  if (ownWritesUnseen(facts) || inBackoff(facts)) return false
  const back = by.ready.length + by.leased.length >= Math.min(options.warm, options.ceiling)
  return (
    back && !by.recycling.some(isDriftRecycle) && draft.actions.every((action) => action.kind !== 'RecycleInstance')
  )
}

/** The most frequent hash; of equals the one that comes first in the alphabet. */
function commonHash(members: readonly Member[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { specHash } of members) if (specHash !== undefined) counts.set(specHash, (counts.get(specHash) ?? 0) + 1)
  const ordered = [...counts].sort(([left, n], [right, m]) => m - n || (left < right ? -1 : 1))
  return ordered[0]?.[0]
}

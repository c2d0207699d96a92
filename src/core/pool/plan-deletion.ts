/**
 * A pool that is being deleted: no creates; members that nobody uses go; leased ones stay until their leases end; quarantined
 * ones stay until somebody releases them. The finalizer comes off when no member is left. [ours]
 */
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { type PoolFacts, type RuleOutcome, recycle } from './facts.ts'

export function deletionOutcome({ by, members, claimed, observed }: PoolFacts): RuleOutcome {
  const ours = observed.pool.metadata.finalizers?.includes(Finalizer.poolCleanup) ?? false
  if (members.length === 0) return { actions: ours && observed.expectationsMet ? [{ kind: 'RemoveFinalizer' }] : [] }
  const idle = [...by.ready, ...by.creating, ...by.unhealthy].filter((member) => !claimed.has(member.uid))
  const gone = idle.map((member) =>
    recycle(member, {
      reason: 'pool_deleted',
      cause: Reason.PoolDeleting,
      message: 'The pool is being deleted: recycling',
    }),
  )
  return {
    actions: gone.map(({ action }) => action),
    notes: [
      ...gone.map(({ note }) => note),
      {
        reason: Reason.PoolDeleting,
        message: `Deletion waits for ${members.length} member(s): ${by.leased.length} leased, ${by.quarantined.length} quarantined, the others are going`,
        level: 'Info',
      },
    ],
  }
}

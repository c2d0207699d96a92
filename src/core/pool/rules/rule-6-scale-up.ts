/**
 * Rule 6. Creates members until Ready + clean Creating reaches the target, in the same pass that ships a delete.
 * Bounds, first match named in the note: a template that is not known or not supported; a full host; the ceiling over members
 * in *every* state (dying and quarantined ones hold their place until they are gone); `maxConcurrentCreates` (twenty clusters
 * booting at once on one host are all late).
 */
import { instanceName } from '../../../api/v1alpha1/labels.ts'
import { Reason } from '../../../api/v1alpha1/reasons.ts'
import type { Note } from '../../plan.ts'
import type { PoolAction } from '../action.ts'
import { type Draft, type PoolFacts, type PoolRule, remaining } from '../facts.ts'
import { type Target, targetOf } from '../target.ts'

export const scaleUpRule: PoolRule = {
  name: 'scale-up',
  inBackoff: false,
  unseenWrites: false,
  apply(facts, draft) {
    const target = targetOf(facts, draft)
    const missing = target.total - target.have
    if (missing <= 0) return {}
    const limit = limits(facts, draft, missing).reduce((least, next) => (next.room < least.room ? next : least))
    const actions = creates(facts, Math.max(0, Math.min(missing, limit.room)))
    const notes = actions.length < missing ? [held(limit, missing - actions.length)] : []
    if (actions.length > 0) notes.unshift(scalingUp(target, actions.length))
    return { actions, notes, wakeAt: actions.length > 0 ? [facts.now + facts.options.creatingTimeoutMs + 1] : [] }
  },
}

interface Limit {
  readonly room: number
  readonly reason: Reason
  readonly why: string
  readonly level: Note['level']
}

/** What bounds the creates of this pass; of equals the first one counts. */
function limits(facts: PoolFacts, draft: Draft, missing: number): [Limit, ...Limit[]] {
  const { observed, options, members, by, unsupported } = facts
  const creating = remaining(by.creating, draft)
  const known = observed.specHash.state === 'known'
  const template = known ? Reason.Unsupported : Reason.BootstrapUnreadable
  const full = creating.some((member) => member.unschedulable)
  return [
    {
      room: known && unsupported.length === 0 ? missing : 0,
      reason: template,
      why: 'the template cannot be made right now',
      level: 'Debug',
    },
    {
      room: full ? 0 : missing,
      reason: Reason.CapacityBlocked,
      why: 'the host has no room for another member',
      level: 'Warning',
    },
    {
      room: options.ceiling - members.length,
      reason: Reason.AtCeiling,
      why: `${members.length} member(s) in all, the ceiling is ${options.ceiling}`,
      level: 'Info',
    },
    {
      room: options.maxConcurrentCreates - creating.length,
      reason: Reason.CreatesLimited,
      why: `${creating.length} member(s) being created, at most ${options.maxConcurrentCreates} at a time`,
      level: 'Debug',
    },
  ]
}

function creates({ observed, members }: PoolFacts, count: number): PoolAction[] {
  const { pool, specHash } = observed
  if (specHash.state !== 'known') return []
  const highest = Math.max(pool.status?.highestIndex ?? 0, ...members.map((member) => member.index))
  return Array.from({ length: count }, (_unused, offset) => {
    const index = highest + 1 + offset
    const name = instanceName(pool.metadata.name ?? '', index)
    return { kind: 'CreateInstance', name, index, specHash: specHash.hash, specHashVersion: specHash.version }
  })
}

const held = (limit: Limit, missing: number): Note => ({
  reason: limit.reason,
  message: `Holding ${missing} create(s): ${limit.why}`,
  level: limit.level,
})

const scalingUp = ({ warm, surge, queue, demand, total, have }: Target, count: number): Note => ({
  reason: Reason.ScalingUp,
  message: `Creating ${count} member(s): ${have} of ${total} are Ready or on their way (warm ${warm}, surge ${surge}, queue ${queue}, demand ${demand})`,
  level: 'Info',
})

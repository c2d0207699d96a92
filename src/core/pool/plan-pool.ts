/**
 * `planPool`: what one pass over a ClusterPool does, decided from what is observed. Rules in this order, each seeing what those
 * before it decided:
 * 0 own writes unseen · 1 unhealthy · 2 backoff · 3 drifted Creating · 4 drifted Ready · 5 stuck Creating · 6 scale up ·
 * 7 scale down. Rules 0 and 2 are gates over the others. A pool without our finalizer gets it first and nothing else; a pool
 * that is being deleted has a plan of its own.
 */

import type { PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import type { Note, Plan } from '../plan.ts'
import { requeueAt } from '../requeue.ts'
import type { PoolAction } from './action.ts'
import {
  addOutcome,
  type Draft,
  EMPTY_DRAFT,
  gatherFacts,
  memberNote,
  type PoolFacts,
  type PoolRule,
  type RuleOutcome,
} from './facts.ts'
import { floorNever } from './floor-never.ts'
import type { PoolObserved } from './observed.ts'
import { deletionOutcome } from './plan-deletion.ts'
import { expectationsNote, ownWritesUnseen } from './rules/rule-0-expectations.ts'
import { unhealthyRule } from './rules/rule-1-unhealthy.ts'
import { backoffNote, inBackoff } from './rules/rule-2-backoff.ts'
import { driftedCreatingRule } from './rules/rule-3-drifted-creating.ts'
import { driftedReadyRule } from './rules/rule-4-drifted-ready.ts'
import { stuckCreatingRule } from './rules/rule-5-stuck-creating.ts'
import { scaleUpRule } from './rules/rule-6-scale-up.ts'
import { scaleDownRule } from './rules/rule-7-scale-down.ts'
import { specChangedNotes } from './spec-change.ts'
import { poolStatus } from './status.ts'
import { demandEnds } from './target.ts'
import { unsupportedMessage } from './unsupported.ts'

const RULES: readonly PoolRule[] = [
  unhealthyRule,
  driftedCreatingRule,
  driftedReadyRule,
  stuckCreatingRule,
  scaleUpRule,
  scaleDownRule,
]

/** `now` is epoch milliseconds. */
export function planPool(observed: PoolObserved, now: number): Plan<PoolAction, PoolStatus> {
  const facts = gatherFacts(observed, now)
  const draft = draftOf(facts)
  const requeueAfterMs = requeueAt(now, draft.wakeAt)
  return {
    actions: draft.actions,
    notes: draft.notes,
    status: poolStatus(facts, draft),
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
  }
}

function draftOf(facts: PoolFacts): Draft {
  const { pool } = facts.observed
  if (pool.metadata.deletionTimestamp !== undefined) return addOutcome(EMPTY_DRAFT, deletionOutcome(facts))
  if (!pool.metadata.finalizers?.includes(Finalizer.poolCleanup)) {
    return addOutcome(EMPTY_DRAFT, { actions: [{ kind: 'AddFinalizer' }] })
  }
  const start = addOutcome(EMPTY_DRAFT, gates(facts))
  const unseen = ownWritesUnseen(facts)
  const backoff = inBackoff(facts)
  const runs = RULES.filter((rule) => (!unseen || rule.unseenWrites) && (!backoff || rule.inBackoff))
  return runs.reduce((draft, rule) => addOutcome(draft, rule.apply(facts, draft)), start)
}

/** What is said and done before the rules: which gates are closed, failures first seen, stamps that are missing. */
function gates(facts: PoolFacts): RuleOutcome {
  const notes: Note[] = facts.failures.fresh.map((failure) => ({
    reason: Reason.CreateFailed,
    message: `${failure.name} failed to become Ready (${failure.reason}): ${failure.message ?? 'no details'}; failure ${facts.failures.consecutive} in a row`,
    level: 'Warning',
    about: { kind: 'ClusterInstance', name: failure.name, uid: failure.uid },
  }))
  notes.push(
    ...specChangedNotes(facts.observed),
    ...unsupportedNotes(facts),
    ...uselessNotes(facts),
    ...stuckRecycling(facts),
  )
  if (ownWritesUnseen(facts)) notes.push(expectationsNote)
  if (inBackoff(facts)) notes.push(backoffNote(facts))
  return { notes, actions: stamps(facts), wakeAt: [facts.failures.nextAttemptAt, ...demandEnds(facts)] }
}

function unsupportedNotes({ unsupported, observed }: PoolFacts): Note[] {
  if (unsupported.length === 0) return []
  const message = unsupportedMessage(observed.pool.spec.backend.type, unsupported)
  return [{ reason: Reason.Unsupported, message, level: 'Warning' }]
}

/** What is accepted, as published manifests must work, and cannot have the effect that its author hopes for. */
function uselessNotes(facts: PoolFacts): Note[] {
  const { backend, snapshot } = facts.observed.pool.spec
  const never = floorNever(facts)
  const notes: Note[] = []
  if (never !== undefined) {
    const message = `No upgrade can ever replace a member: ${never}`
    notes.push({ reason: Reason.FloorNeverSatisfied, message, level: 'Warning' })
  }
  if (snapshot?.enabled === true) {
    const message = `spec.snapshot has no effect: backend ${backend.type} restores no member from a backup, each is made fresh`
    notes.push({ reason: Reason.Unsupported, message, level: 'Warning' })
  }
  return notes
}

/** A delete that hangs holds its place under the ceiling, so somebody has to hear of it. */
function stuckRecycling({ by, options, now }: PoolFacts): Note[] {
  return by.recycling
    .filter((member) => member.recycleCause !== undefined && now - member.since > options.creatingTimeoutMs)
    .map((member) => {
      const message = `Recycling for longer than ${options.creatingTimeoutMs / 1000} s: its resources are slow to go away`
      return memberNote(member, { reason: Reason.RecyclingStuck, message, level: 'Warning' })
    })
}

function stamps({ observed, members }: PoolFacts): PoolAction[] {
  const { specHash } = observed
  if (specHash.state !== 'known') return []
  return members
    .filter((member) => member.needsStamp && member.bucket !== 'recycling' && member.bucket !== 'quarantined')
    .map(({ name, uid, resourceVersion }) => ({
      kind: 'StampInstance',
      name,
      uid,
      resourceVersion,
      specHash: specHash.hash,
      specHashVersion: specHash.version,
    }))
}

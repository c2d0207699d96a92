/** Conditions: what is true of an object right now, and since when. */
import type { Static } from '@sinclair/typebox'
import { choice, keyedList, longCount, object, optional, text, timestamp } from '../field.ts'
import { formatTimestamp } from '../timestamp.ts'

export const CONDITION_STATUSES = ['True', 'False', 'Unknown'] as const
export type ConditionStatus = (typeof CONDITION_STATUSES)[number]

const ConditionSchema = object('One aspect of the state of the object.', {
  type: text('Name of the aspect in CamelCase.', { minLength: 1, maxLength: 316 }),
  status: choice(CONDITION_STATUSES, 'Whether it holds.'),
  reason: text('Stable code of the cause in CamelCase.', {
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  message: text('A sentence for a person; may be empty.', { maxLength: 32_768 }),
  lastTransitionTime: timestamp('When `status` last changed.'),
  observedGeneration: optional(longCount('The `metadata.generation` this was computed from.')),
})

export const ConditionsSchema = keyedList('What is true of the object right now, by type.', ConditionSchema, ['type'])

export type Condition = Static<typeof ConditionSchema>

/** Condition types of the kinds of this group. */
export const ConditionType = {
  /** The object is as wanted and usable. */
  Ready: 'Ready',
  /** Work towards the wanted state goes on; present only while true. */
  Reconciling: 'Reconciling',
  /** Cannot progress without a change by a person; present only while true. */
  Stalled: 'Stalled',
  /** Pool: at least one lease could be bound now. */
  Available: 'Available',
  /** Pool: members are being replaced because the template changed. */
  Upgrading: 'Upgrading',
  /** Pool: the host has no room for another member. */
  CapacityBlocked: 'CapacityBlocked',
  /** Instance: the backend has made the cluster. */
  Provisioned: 'Provisioned',
  /** Instance: every bootstrap has run. */
  Bootstrapped: 'Bootstrapped',
  /** Lease: bound to an instance. */
  Bound: 'Bound',
  /** Lease: the pool can serve it, now or later. */
  Satisfiable: 'Satisfiable',
  /** Lease: its diagnostics are stored; present only where they were asked for and the lease has ended. */
  DiagnosticsCaptured: 'DiagnosticsCaptured',
} as const
export type ConditionType = (typeof ConditionType)[keyof typeof ConditionType]

/** A condition without its time: what a planner knows. */
export type ConditionInput = Omit<Condition, 'lastTransitionTime'>

export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type)
}

export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True'
}

/**
 * The conditions with this one added or replaced, the others untouched and in place.
 * `lastTransitionTime` moves only when `status` flips. `now` is epoch milliseconds.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  condition: ConditionInput,
  now: number,
): Condition[] {
  const before = findCondition(conditions, condition.type)
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : formatTimestamp(now)
  const after: Condition = { ...condition, lastTransitionTime }
  if (before === undefined) return [...(conditions ?? []), after]
  return (conditions ?? []).map((existing) => (existing === before ? after : existing))
}

/** The conditions without the one of that type: for those that are present only while true. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type)
}

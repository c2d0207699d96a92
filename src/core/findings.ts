/** Conditions from what a planner found of an object. */
import { type Condition, type ConditionStatus, removeCondition, setCondition } from '../api/v1alpha1/conditions.ts'

/** What a condition says, without its type and times. */
export interface Finding {
  readonly status: ConditionStatus
  readonly reason: string
  readonly message: string
}

/** By type of condition, in the order of the status. Without a finding the condition goes: for those present only while true. */
export type Findings = readonly (readonly [type: string, finding: Finding | undefined])[]

export interface FindingContext {
  /** `metadata.generation` of the object they are true of. */
  readonly generation: number | undefined
  /** Epoch milliseconds. */
  readonly now: number
}

/** The conditions with these set or removed, all others untouched and in place. */
export function withFindings(
  before: readonly Condition[] | undefined,
  findings: Findings,
  { generation, now }: FindingContext,
): Condition[] {
  const stamp = generation === undefined ? {} : { observedGeneration: generation }
  return findings.reduce<Condition[]>(
    (conditions, [type, finding]) =>
      finding === undefined
        ? removeCondition(conditions, type)
        : setCondition(conditions, { type, ...finding, ...stamp }, now),
    [...(before ?? [])],
  )
}

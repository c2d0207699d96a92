/** Conditions of built-in kinds: a transition time that moves only when the status does. */
import { formatTimestamp } from '../../api/timestamp.ts'
import type { Condition } from '../kinds.ts'
import { conditionOf } from './pods.ts'

/** The list with this condition in place of the one of its type; others keep their order. */
export function withCondition(
  conditions: readonly Condition[] | undefined,
  next: Condition,
  now: number,
): readonly Condition[] {
  const old = conditionOf(conditions, next.type)
  const kept = old?.status === next.status ? old.lastTransitionTime : undefined
  const condition = { ...next, lastTransitionTime: kept ?? formatTimestamp(now) }
  const all = conditions ?? []
  return old === undefined ? [...all, condition] : all.map((one) => (one.type === next.type ? condition : one))
}

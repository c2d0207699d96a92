/** `metav1.LabelSelector`, the selector inside objects such as a Deployment or a PodDisruptionBudget. */
import type { Labels } from './label-selector.ts'

export interface ObjectLabelSelector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly LabelExpression[]
}

export interface LabelExpression {
  readonly key: string
  /** In, NotIn, Exists, DoesNotExist. Any other operator matches nothing. */
  readonly operator: string
  readonly values?: readonly string[]
}

/** Undefined selects nothing; an empty selector selects everything. [doc: LabelSelector] */
export function labelSelectorMatches(selector: ObjectLabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return false
  const actual = labels ?? {}
  const equal = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labelOf(actual, key) === value)
  return equal && (selector.matchExpressions ?? []).every((expression) => isMet(expression, actual))
}

function isMet({ key, operator, values = [] }: LabelExpression, labels: Labels): boolean {
  const value = labelOf(labels, key)
  if (operator === 'In') return value !== undefined && values.includes(value)
  if (operator === 'NotIn') return value === undefined || !values.includes(value)
  if (operator === 'Exists') return value !== undefined
  return operator === 'DoesNotExist' && value === undefined
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined
}

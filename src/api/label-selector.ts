/** Label selectors as they stand inside objects [k8s LabelSelector]. */

type Labels = Readonly<Record<string, string>>

export interface LabelSelectorRequirement {
  readonly key: string
  /** In, NotIn, Exists, DoesNotExist; in node affinities also Gt and Lt. Any other matches nothing. */
  readonly operator: string
  readonly values?: readonly string[]
}

export interface LabelSelector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

/** Undefined selects nothing, an empty selector everything. */
export function selectorMatches(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false
  return (
    labelsMatch(selector.matchLabels, labels) && (selector.matchExpressions ?? []).every((one) => isMet(one, labels))
  )
}

/** Every label is there with this value. Undefined matches everything. */
export function labelsMatch(wanted: Labels = {}, labels: Labels = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value)
}

/** An unknown operator matches nothing. */
export function isMet({ key, operator, values = [] }: LabelSelectorRequirement, labels: Labels): boolean {
  const value = labels[key]
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return Number(value) > Number(values[0])
    case 'Lt':
      return Number(value) < Number(values[0])
    default:
      return false
  }
}

/** JSON merge patches (RFC 7396): what to send so that one value becomes another. */

type Fields = Readonly<Record<string, unknown>>

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** In a merge patch null removes, so a field that is null or undefined is a field that is absent. */
function isAbsent(value: unknown): boolean {
  return value === null || value === undefined
}

function isEqual(a: unknown, b: unknown): boolean {
  if (isAbsent(a) || isAbsent(b)) return isAbsent(a) && isAbsent(b)
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => isEqual(item, b[index]))
  }
  if (!isFields(a) || !isFields(b)) return a === b
  return [...Object.keys(a), ...Object.keys(b)].every((key) => isEqual(a[key], b[key]))
}

/** Lists are replaced as a whole: the elements of a merge patch have no identity. */
function diffValue(from: unknown, to: unknown): unknown {
  if (isAbsent(to)) return null
  if (!isFields(to)) return to
  if (!isFields(from)) return withoutAbsent(to)
  return mergeDiff(from, to) ?? {}
}

function withoutAbsent(fields: Fields): Fields {
  const present = Object.entries(fields).filter(([, value]) => !isAbsent(value))
  return Object.fromEntries(present.map(([key, value]) => [key, isFields(value) ? withoutAbsent(value) : value]))
}

/** The smallest merge patch that turns `from` into `to`; undefined when they are equal. Cleared fields are null in it. */
export function mergeDiff(from: object, to: object): Fields | undefined {
  const before: Fields = { ...from }
  const after: Fields = { ...to }
  const patch: Record<string, unknown> = {}
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (!isEqual(before[key], after[key])) patch[key] = diffValue(before[key], after[key])
  }
  return Object.keys(patch).length === 0 ? undefined : patch
}

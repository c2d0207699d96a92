/**
 * One text for one meaning: object keys sorted, members that are `undefined` dropped, numbers in their shortest form.
 * The spec hash is taken over this text, so re-ordering a manifest never changes it. Lists keep their order: it has a meaning.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null'
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : sorted(item)))
  if (value === null || typeof value !== 'object') return stable(value)
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  entries.sort(([left], [right]) => (left < right ? -1 : 1))
  // A null prototype and defineProperty-free assignment would still move integer-like keys first; that order is stable too.
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]))
}

/** -0 and 0 mean the same; a number that JSON cannot carry is a mistake of the caller, told apart from `null`. */
function stable(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) return String(value)
  return value === 0 ? 0 : value
}

/**
 * Whether two statuses say the same, so that nothing has to be written. Order of keys and undefined members do not count.
 * Runs in every pass over every object, so it allocates nothing and stops at what is the same object.
 */
export function sameStatus(left: unknown, right: unknown): boolean {
  if (left === right) return true
  if (!isBranch(left) || !isBranch(right) || Array.isArray(left) !== Array.isArray(right)) return false
  for (const key in left) if (!sameStatus(left[key], right[key])) return false
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false
  return true
}

const isBranch = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

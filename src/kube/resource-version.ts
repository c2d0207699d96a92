/**
 * Order of resource versions. One API server writes them as one growing decimal number, and Kubernetes documents that
 * those of one resource may be compared. Anything else is unordered: such versions answer `undefined`.
 */

const DECIMAL = /^(0|[1-9]\d*)$/

/** Below zero when `a` is older, above when newer, 0 when equal, `undefined` when they cannot be compared. */
export function compareResourceVersions(a: string | undefined, b: string | undefined): number | undefined {
  if (a === undefined || b === undefined) return undefined
  if (a === b) return 0
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return undefined
  // Longer than a double holds exactly: compare as text.
  return a.length === b.length ? (a < b ? -1 : 1) : a.length - b.length
}

export function isNewer(a: string | undefined, b: string | undefined): boolean {
  const order = compareResourceVersions(a, b)
  return order !== undefined && order > 0
}

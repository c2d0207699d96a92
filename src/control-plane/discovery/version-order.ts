/** The order of API versions: `v10`, `v2`, `v1`, then `v3beta1`, `v1beta2`, then alphas, then all other texts by name. [doc: CRD version priority] */

const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/
const STABILITY = { '': 3, beta: 2, alpha: 1 }

/** Negative when `left` is preferred to `right`. */
export function compareVersions(left: string, right: string): number {
  const [first, second] = [rank(left), rank(right)]
  for (const [index, value] of first.entries()) {
    const difference = (second[index] ?? 0) - value
    if (difference !== 0) return difference
  }
  return left < right ? -1 : Number(left > right)
}

function rank(version: string): [stability: number, major: number, minor: number] {
  const match = VERSION.exec(version)
  if (match === null) return [0, 0, 0]
  const stability = match[2] === 'alpha' || match[2] === 'beta' ? match[2] : ''
  return [STABILITY[stability], Number(match[1]), Number(match[3] ?? 0)]
}

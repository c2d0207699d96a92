/** The earliest of several moments or waits, undefined when there is none. */
export function earliest(...moments: readonly (number | undefined)[]): number | undefined {
  const known = moments.filter((moment) => moment !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** When to look again: the earliest of several moments that lie ahead. */
export function requeueAt(now: number, moments: readonly (number | undefined)[]): number | undefined {
  const next = earliest(...moments.filter((moment) => moment !== undefined && moment > now))
  return next === undefined ? undefined : next - now
}

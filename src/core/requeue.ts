/** When to look again: the earliest of several moments that lie ahead. */
export function requeueAt(now: number, moments: readonly (number | undefined)[]): number | undefined {
  const ahead = moments.filter((moment): moment is number => moment !== undefined && moment > now)
  return ahead.length === 0 ? undefined : Math.min(...ahead) - now
}

/**
 * Durations in specs, such as `1h30m`: one or more numbers with the unit `h`, `m` or `s`, added up. No days, no fractions;
 * zero and more than 365 days are refused; space around the text is ignored.
 */

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 }
const WHOLE = /^([0-9]+[hms])+$/
const MAX_MS = 365 * 24 * 3_600_000

/** Milliseconds, or undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim()
  if (!WHOLE.test(trimmed)) return undefined
  let total = 0
  for (const part of trimmed.match(/[0-9]+[hms]/g) ?? []) {
    total += Number(part.slice(0, -1)) * (UNIT_MS[part.slice(-1)] ?? 0)
  }
  return total > 0 && total <= MAX_MS ? total : undefined
}

/** `[Xh][Ym][Zs]` with zero parts left out; `0s` for nothing. Fractions of a second are cut off. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.trunc(ms / 1000))
  const parts: Array<[number, string]> = [
    [Math.trunc(seconds / 3600), 'h'],
    [Math.trunc((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's'],
  ]
  return (
    parts
      .filter(([value]) => value > 0)
      .map(([value, unit]) => `${value}${unit}`)
      .join('') || '0s'
  )
}

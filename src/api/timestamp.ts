/** Moments on the wire: RFC 3339. Inside, a moment is epoch milliseconds. */

/** Date and time with seconds, optional fraction, and an offset or `Z`. */
const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** `2026-01-02T03:04:05Z`: UTC, fractions of a second cut off. */
export function formatTimestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`
}

/** Epoch milliseconds, or undefined when the text is not a moment in RFC 3339. */
export function parseTimestamp(text: string): number | undefined {
  const match = RFC3339.exec(text)
  if (match === null || !isCalendarDay(Number(match[1]), Number(match[2]), Number(match[3]))) return undefined
  const epochMs = Date.parse(text.toUpperCase())
  return Number.isNaN(epochMs) ? undefined : epochMs
}

/** `Date.parse` takes 30 February for 2 March. */
function isCalendarDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

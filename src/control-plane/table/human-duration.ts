/** Ages as kubectl shows them: two to three significant figures. */

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** Below `limit` the duration is shown in `unit`, with a rest in `rest` unless that is zero. */
interface Range {
  readonly limit: number
  readonly unit: readonly [milliseconds: number, letter: string]
  readonly rest?: readonly [milliseconds: number, letter: string]
}

const RANGES: readonly Range[] = [
  { limit: 2 * MINUTE, unit: [SECOND, 's'] },
  { limit: 10 * MINUTE, unit: [MINUTE, 'm'], rest: [SECOND, 's'] },
  { limit: 3 * HOUR, unit: [MINUTE, 'm'] },
  { limit: 8 * HOUR, unit: [HOUR, 'h'], rest: [MINUTE, 'm'] },
  { limit: 2 * DAY, unit: [HOUR, 'h'] },
  { limit: 8 * DAY, unit: [DAY, 'd'], rest: [HOUR, 'h'] },
  { limit: 2 * YEAR, unit: [DAY, 'd'] },
  { limit: 8 * YEAR, unit: [YEAR, 'y'], rest: [DAY, 'd'] },
  { limit: Number.POSITIVE_INFINITY, unit: [YEAR, 'y'] },
]

/** A clock that is up to two seconds ahead counts as now; more is `<invalid>`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / SECOND)
  if (seconds < -1) return '<invalid>'
  if (milliseconds < 0) return '0s'
  const range = RANGES.find(({ limit }) => milliseconds < limit)
  if (range === undefined) return '<unknown>'
  const whole = Math.floor(milliseconds / range.unit[0])
  const text = `${whole}${range.unit[1]}`
  const rest = range.rest ? Math.floor((milliseconds - whole * range.unit[0]) / range.rest[0]) : 0
  return rest > 0 && range.rest ? `${text}${rest}${range.rest[1]}` : text
}

/** The age of an RFC 3339 time at `now` (epoch milliseconds); an absent time is `<unknown>`, another text `<invalid>`. */
export function age(time: unknown, now: number): string {
  if (typeof time !== 'string' || time === '') return '<unknown>'
  const since = Date.parse(time)
  return Number.isNaN(since) ? '<invalid>' : humanDuration(now - since)
}

/** Times and durations as text: RFC 3339, and Go's `1h30m`, to the nanosecond. */
import { Duration, Timestamp } from './cel-value.ts'

const TIMESTAMP = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d)$/

/** Undefined: no timestamp. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = TIMESTAMP.exec(text)
  if (match === null) return undefined
  const [, date, time, fraction = '', zone = ''] = match
  const millis = Date.parse(`${date}T${time}${zone.toUpperCase()}`)
  if (Number.isNaN(millis)) return undefined
  return new Timestamp(BigInt(millis) * 1_000_000n + BigInt(fraction.padEnd(9, '0')), offsetOf(zone))
}

/** In minutes east of UTC. */
function offsetOf(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? []
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
}

/** RFC 3339 in the zone that it was written in, with as many digits of a second as there are. */
export function formatTimestamp({ nanos, offsetMinutes }: Timestamp): string {
  const second = 1_000_000_000n
  const fraction = ((nanos % second) + second) % second
  const millis = Number((nanos - fraction) / 1_000_000n) + offsetMinutes * 60_000
  const whole = new Date(millis).toISOString().slice(0, 19)
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`
  return `${whole}${digits}${formatOffset(offsetMinutes)}`
}

function formatOffset(minutes: number): string {
  if (minutes === 0) return 'Z'
  const size = Math.abs(minutes)
  const pad = (value: number): string => String(value).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`
}

const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** Undefined: no duration. */
export function parseDuration(text: string): Duration | undefined {
  const [, sign, rest = ''] = /^([+-]?)(.+)$/s.exec(text) ?? []
  if (rest === '0') return new Duration(0n)
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return undefined
  let nanos = 0n
  for (const [, whole = '', fraction = '', unit = ''] of rest.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = UNITS[unit] ?? 0n
    nanos += BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length)
  }
  if (nanos >= 2n ** 63n) return undefined
  return new Duration(sign === '-' ? -nanos : nanos)
}

/** As seconds, such as `5400s` or `0.5s`. */
export function formatDuration({ nanos }: Duration): string {
  const magnitude = nanos < 0n ? -nanos : nanos
  const fraction = magnitude % 1_000_000_000n
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(9, '0').replace(/0+$/, '')}`
  return `${nanos < 0n ? '-' : ''}${magnitude / 1_000_000_000n}${digits}s`
}

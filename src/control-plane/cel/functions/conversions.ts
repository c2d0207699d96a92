/** Conversions between types, sizes, and the parts of times. */
import { CelError } from '../cel-error.ts'
import {
  type CelValue,
  Duration,
  type ListValue,
  MapValue,
  type ObjectValue,
  type Timestamp,
  TypeName,
  toInt,
  toTimestamp,
  toUint,
  typeNameOf,
  type Uint,
} from '../cel-value.ts'
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from '../time-text.ts'
import { formatDouble } from './double-text.ts'
import type { FunctionTable } from './overload.ts'

const same = (value: CelValue): CelValue => value

const SIZES: FunctionTable = {
  'size(string): int': lengthOf,
  'size(bytes): int': (bytes: Uint8Array) => BigInt(bytes.length),
  'size(list<A>): int': (list: ListValue) => BigInt(list.items.length),
  'size(map<A, B>): int': sizeOf,
  'string.size(): int': lengthOf,
  'bytes.size(): int': (bytes: Uint8Array) => BigInt(bytes.length),
  'list<A>.size(): int': (list: ListValue) => BigInt(list.items.length),
  'map<A, B>.size(): int': sizeOf,
}

/** In code points. */
function lengthOf(text: string): bigint {
  return BigInt([...text].length)
}

function sizeOf(map: MapValue | ObjectValue): bigint {
  return BigInt(map instanceof MapValue ? map.entries.size : map.names.length)
}

const NUMBERS: FunctionTable = {
  'int(int): int': same,
  'int(uint): int': (value: Uint) => toInt(value.value),
  'int(double): int': (value: number) => toInt(wholeOf(value)),
  'int(string): int': (text: string) => toInt(parseWhole(text, /^[+-]?\d+$/, 'int')),
  'int(timestamp): int': ({ nanos }: Timestamp) => floorDivide(nanos, 1_000_000_000n),
  'int(duration): int': ({ nanos }: Duration) => nanos,
  'uint(uint): uint': same,
  'uint(int): uint': (value: bigint) => toUint(value),
  'uint(double): uint': (value: number) => toUint(wholeOf(value)),
  'uint(string): uint': (text: string) => toUint(parseWhole(text, /^\d+$/, 'uint')),
  'double(double): double': same,
  'double(int): double': Number,
  'double(uint): double': (value: Uint) => Number(value.value),
  'double(string): double': parseDouble,
}

function wholeOf(value: number): bigint {
  if (!Number.isFinite(value)) throw new CelError('integer overflow')
  return BigInt(Math.trunc(value))
}

function parseWhole(text: string, form: RegExp, type: string): bigint {
  if (!form.test(text)) conversionFails(type)
  return BigInt(text.replace('+', ''))
}

function parseDouble(text: string): number {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text)
  if (special !== null) {
    const value = /nan/i.test(special[2] ?? '') ? Number.NaN : Number.POSITIVE_INFINITY
    return special[1] === '-' ? -value : value
  }
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) {
    conversionFails('double')
  }
  return Number(text)
}

const TEXTS: FunctionTable = {
  'string(string): string': same,
  'string(bool): string': String,
  'string(int): string': String,
  'string(uint): string': (value: Uint) => String(value.value),
  'string(double): string': formatDouble,
  'string(bytes): string': (bytes: Uint8Array) => decodeText(bytes),
  'string(timestamp): string': (value: Timestamp) => formatTimestamp(value),
  'string(duration): string': (value: Duration) => formatDuration(value),
  'bytes(bytes): bytes': same,
  'bytes(string): bytes': (text: string) => new Uint8Array(Buffer.from(text)),
  'bool(bool): bool': same,
  'bool(string): bool': parseBool,
  'dyn(A): dyn': same,
  'type(A): type': (value: CelValue) => new TypeName(typeNameOf(value)),
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

function parseBool(text: string): boolean {
  if (TRUE.has(text)) return true
  if (FALSE.has(text)) return false
  conversionFails('bool')
}

const TIMES: FunctionTable = {
  'timestamp(timestamp): timestamp': same,
  'timestamp(int): timestamp': (seconds: bigint) => toTimestamp(seconds * 1_000_000_000n),
  'timestamp(string): timestamp': (text: string) =>
    parseTimestamp(text) ?? conversionFails('google.protobuf.Timestamp'),
  'duration(duration): duration': same,
  'duration(int): duration': (nanos: bigint) => new Duration(nanos),
  'duration(string): duration': (text: string) => parseDuration(text) ?? conversionFails('google.protobuf.Duration'),
  'duration.getHours(): int': ({ nanos }: Duration) => nanos / 3_600_000_000_000n,
  'duration.getMinutes(): int': ({ nanos }: Duration) => nanos / 60_000_000_000n,
  'duration.getSeconds(): int': ({ nanos }: Duration) => nanos / 1_000_000_000n,
  'duration.getMilliseconds(): int': ({ nanos }: Duration) => nanos / 1_000_000n,
}

function conversionFails(to: string): never {
  throw new CelError(`type conversion error from 'string' to '${to}'`)
}

function floorDivide(value: bigint, by: bigint): bigint {
  return value >= 0n ? value / by : (value - by + 1n) / by
}

/** Each takes the time as if its zone were UTC. */
const PARTS: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
}

const DATE_PARTS: FunctionTable = Object.fromEntries(
  Object.entries(PARTS).flatMap(([name, part]) => [
    [`timestamp.${name}(): int`, (time: Timestamp) => BigInt(part(dateOf(time)))],
    [
      `timestamp.${name}(string): int`,
      (time: Timestamp, zone: string) => BigInt(part(new Date(dateOf(time).getTime() + offsetOf(time, zone)))),
    ],
  ]),
)

function dateOf({ nanos }: Timestamp): Date {
  return new Date(Number(floorDivide(nanos, 1_000_000n)))
}

/** Milliseconds to add to UTC for the time that clocks in that zone show: `+02:00` or `Europe/Berlin`. */
function offsetOf(time: Timestamp, zone: string): number {
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(zone) ?? []
  if (hours !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  const date = dateOf(time)
  const parts = zoneFormat(zone).formatToParts(date)
  const at = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0)
  const shown = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'))
  return shown - (date.getTime() - date.getUTCMilliseconds())
}

function zoneFormat(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone === '' ? 'UTC' : zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new CelError(`unknown time zone ${zone}`)
  }
}

export const CONVERSIONS: readonly FunctionTable[] = [SIZES, NUMBERS, TEXTS, TIMES, DATE_PARTS]

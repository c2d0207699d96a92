/** `"%s is %d".format([...])`. [cel-go strings.format] */
import { CelError } from '../cel-error.ts'
import { type CelValue, Duration, ListValue, MapValue, Timestamp, TypeName, Uint } from '../cel-value.ts'
import { formatDuration, formatTimestamp } from '../time-text.ts'
import { formatDouble } from './double-text.ts'

const CLAUSE = /%(?:%|(?:\.(\d+))?([a-zA-Z]))?/g

export function formatText(pattern: string, { items }: ListValue): string {
  let index = 0
  const text = pattern.replace(CLAUSE, (clause: string, precision: string | undefined, verb: string | undefined) => {
    if (clause === '%%') return '%'
    if (verb === undefined) throw new CelError('could not parse formatting clause: unexpected end of string')
    const value = items[index]
    if (value === undefined) throw new CelError(`could not parse formatting clause: index ${index} out of range`)
    index += 1
    return formatClause(verb, value, precision === undefined ? 6 : Number(precision))
  })
  return text
}

function formatClause(verb: string, value: CelValue, precision: number): string {
  const format = VERBS[verb]
  if (format === undefined) {
    throw new CelError(`could not parse formatting clause: unrecognized formatting clause "${verb}"`)
  }
  return format(value, precision)
}

const VERBS: Readonly<Record<string, (value: CelValue, precision: number) => string>> = {
  s: printValue,
  d: (value) => (typeof value === 'number' ? formatDouble(value) : String(wholeOf(value, 'decimal'))),
  f: (value, precision) => printFixed(value, (number) => number.toFixed(precision)),
  e: (value) => printFixed(value, printScientific),
  b: (value) => (typeof value === 'boolean' ? (value ? '1' : '0') : inBase(value, 2, 'binary')),
  o: (value) => inBase(value, 8, 'octal'),
  x: (value) => printHex(value),
  X: (value) => printHex(value).toUpperCase(),
}

function wholeOf(value: CelValue, form: string): bigint {
  if (typeof value === 'bigint') return value
  if (value instanceof Uint) return value.value
  throw new CelError(`error during formatting: ${form} clause can only be used on integers`)
}

function inBase(value: CelValue, base: number, form: string): string {
  return wholeOf(value, form).toString(base)
}

function printHex(value: CelValue): string {
  if (typeof value === 'string') return Buffer.from(value).toString('hex')
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return inBase(value, 16, 'hex')
}

function printFixed(value: CelValue, print: (number: number) => string): string {
  const number = typeof value === 'number' ? value : Number(wholeOf(value, 'fixed-point'))
  return Number.isFinite(number) ? print(number) : formatDouble(number)
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/** `1.500000×10⁰³`. As in the real server, a precision that was asked for does not count. */
function printScientific(number: number): string {
  const [mantissa = '', exponent = ''] = number.toExponential(6).split('e')
  const digits = exponent
    .slice(1)
    .padStart(2, '0')
    .replace(/\d/g, (digit) => SUPERSCRIPTS[Number(digit)] ?? digit)
  return `${mantissa}\u00d710${exponent.startsWith('-') ? '⁻' : ''}${digits}`
}

/** Inside of lists and maps texts are quoted. */
function printInside(value: CelValue): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Uint8Array) return `b${JSON.stringify(Buffer.from(value).toString())}`
  if (value instanceof Timestamp) return `timestamp("${formatTimestamp(value)}")`
  if (value instanceof Duration) return `duration("${formatDuration(value)}")`
  return printValue(value)
}

/** As `%s` shows it. */
function printValue(value: CelValue): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return formatDouble(value)
  if (typeof value !== 'object') return String(value)
  if (value instanceof ListValue) return `[${value.items.map(printInside).join(', ')}]`
  if (value instanceof MapValue) return printMap(value)
  return printObject(value)
}

function printMap(value: MapValue): string {
  const entries = [...value.entries.values()].map(([key, item]) => `${printInside(key)}:${printInside(item)}`)
  return `{${entries.sort().join(', ')}}`
}

function printObject(value: Exclude<CelValue, bigint | number | string | boolean | null>): string {
  if (value instanceof Timestamp) return formatTimestamp(value)
  if (value instanceof Duration) return formatDuration(value)
  if (value instanceof Uint) return String(value.value)
  if (value instanceof TypeName) return value.name
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  throw new CelError(
    'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  )
}

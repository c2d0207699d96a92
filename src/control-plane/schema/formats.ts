/**
 * String formats that the API server checks in custom resources `[k8s apiextensions formats]`. Any other format is
 * documentation only. Every check is linear in the text's length.
 */
import { isIPv4, isIPv6 } from 'node:net'
import type { Schema } from './schema.ts'

type Check = (text: string) => boolean

const HEX = '[0-9a-fA-F]'
const uuid = (third: string, fourth: string): RegExp =>
  new RegExp(`^${HEX}{8}-?${HEX}{4}-?${third}-?${fourth}-?${HEX}{12}$`)
const HEX4 = `${HEX}{4}`
const VARIANT4 = `[89abAB]${HEX}{3}`

/** By name without dashes: `date-time` and `datetime` are one format. */
const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['byte', isBase64],
  ['cidr', isCidr],
  ['creditcard', isCreditCard],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', isDuration],
  ['email', isEmail],
  ['hexcolor', (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text)],
  ['hostname', isHostname],
  ['ipv4', isSloppyIPv4],
  ['ipv6', (text) => isIPv6(text) && !text.includes('%')],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['k8slongname', isLongName],
  ['k8sshortname', isShortName],
  ['mac', isMac],
  ['password', () => true],
  ['rgbcolor', isRgbColor],
  ['ssn', (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['uri', isRequestUri],
  ['uuid', (text) => uuid(HEX4, HEX4).test(text)],
  ['uuid3', (text) => uuid(`3${HEX}{3}`, HEX4).test(text)],
  ['uuid4', (text) => uuid(`4${HEX}{3}`, VARIANT4).test(text)],
  ['uuid5', (text) => uuid(`5${HEX}{3}`, VARIANT4).test(text)],
])

const INTEGER_FORMATS: ReadonlySet<string> = new Set(['int32', 'int64'])
const NUMBER_FORMATS: ReadonlySet<string> = new Set(['float', 'double'])

/** The schema's format if it is one that is checked for the schema's type, else undefined. */
export function checkedFormat(schema: Schema): string | undefined {
  const { format, type } = schema
  return format !== undefined && isChecked(format, type) ? format : undefined
}

function isChecked(format: string, type: Schema['type']): boolean {
  if (type === 'integer') return INTEGER_FORMATS.has(format)
  if (type === 'number') return NUMBER_FORMATS.has(format)
  return (type === undefined || type === 'string') && CHECKS.has(format.replaceAll('-', ''))
}

/** Whether the text has that format; true for formats that are not checked on strings. */
export function matchesFormat(format: string, text: string): boolean {
  return CHECKS.get(format.replaceAll('-', ''))?.(text) ?? true
}

function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (match === null) return false
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number]
  return month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

function daysInMonth(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  if (month === 2) return isLeap ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t')
  if (date === undefined || time === undefined || !isDate(date)) return false
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/.exec(time)
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59
}

const UNIT_NAMES = new Set(['ns', 'us', 'µs', 'ms', 's', 'sec', 'm', 'min', 'h', 'hr', 'd', 'w', 'wk'])
const UNIT_PREFIXES = ['nano', 'micro', 'milli', 's', 'sec', 'min', 'hour', 'day', 'week']

/** Go's syntax (`1h30m`), or the looser one of Scala (`5 minutes`), anywhere in the text. */
function isDuration(text: string): boolean {
  if (text === '0' || /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return true
  for (const match of text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)) {
    const unit = match[1]?.toLowerCase() ?? ''
    if (UNIT_NAMES.has(unit) || UNIT_PREFIXES.some((prefix) => unit.startsWith(prefix))) return true
  }
  return false
}

/** One address as in a mail header: `a@b` or `Name <a@b>`. */
function isEmail(text: string): boolean {
  const address = /^[^<>]*<([^<>]*)>\s*$/.exec(text)?.[1] ?? text.trim()
  return (
    address.length <= 998 &&
    /^(?:[^\s@"(),:;<>[\\\]]+|"[^"\\\n]*")@(?:[^\s@"(),:;<>[\\\]]+|\[[^\s[\]]+\])$/.test(address) &&
    !hasEmptyAtom(address)
  )
}

function hasEmptyAtom(address: string): boolean {
  if (address.startsWith('"')) return false
  return (
    address.startsWith('.') ||
    address.includes('..') ||
    address.includes('.@') ||
    address.includes('@.') ||
    address.endsWith('.')
  )
}

function isHostname(text: string): boolean {
  const labels = text.split('.')
  if (text.length > 255 || labels.some((label) => label.length > 63)) return false
  // A lone label may hold one dash only, right after its first character: the real server's rule.
  if (labels.length === 1) return /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]*)$/u.test(text)
  const isLabel = (label: string): boolean =>
    /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\p{S}\p{L}-]*[a-zA-Z0-9\p{S}\p{L}])?$/u.test(label)
  return labels.slice(0, -1).every(isLabel) && /^[a-zA-Z\p{L}]{2,63}$/u.test(labels.at(-1) ?? '')
}

/** Leading zeros in a part are tolerated, and so is an IPv4 address written inside an IPv6 one. */
function isSloppyIPv4(text: string): boolean {
  const plain = text.replace(/(^|[.:])0+(?=\d)/g, '$1')
  return text.length <= 100 && text.includes('.') && (isIPv4(plain) || isIPv6(plain))
}

function isCidr(text: string): boolean {
  const match = /^([^/]{1,100})\/(\d{1,3})$/.exec(text)
  if (match === null) return false
  const address = match[1] ?? ''
  const bits = Number(match[2])
  if (address.includes(':')) return isIPv6(address) && !address.includes('%') && bits <= 128
  return isSloppyIPv4(address) && bits <= 32
}

function isMac(text: string): boolean {
  return [
    /^[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2})+$/,
    /^[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2})+$/,
    /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/,
  ].some((pattern) => pattern.test(text) && [12, 16, 40].includes(text.replace(/[:.-]/g, '').length))
}

function isShortName(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(text)
}

function isLongName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part))
}

function isRgbColor(text: string): boolean {
  const match = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/.exec(text)
  return match?.slice(1).every((part) => Number(part) <= 255 && !/^0\d/.test(part)) ?? false
}

/** An absolute URI or an absolute path. */
function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters make a URI invalid.
  if (text === '' || /[\u0000-\u001f\u007f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text)) return false
  if (text.startsWith('/') || text === '*') return true
  const match = /^[a-zA-Z][a-zA-Z0-9+.-]*:(.*)$/s.exec(text)
  const rest = match?.[1]
  if (rest === undefined) return false
  const authority = rest.startsWith('//') ? (rest.slice(2).split(/[/?#]/)[0] ?? '') : ''
  return !/[ <>"]/.test(authority) && /^(?:[^@]*@)?(?:\[[^[\]]*\]|[^:[\]]*)(?::\d*)?$/.test(authority)
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  const known =
    /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/
  return known.test(digits) && luhnSum(digits) % 10 === 0
}

function luhnSum(digits: string): number {
  let sum = 0
  for (let position = 0; position < digits.length; position++) {
    const digit = Number(digits.at(-1 - position)) * (position % 2 === 1 ? 2 : 1)
    sum += digit > 9 ? digit - 9 : digit
  }
  return sum
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '')
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false
  const sum = [...digits].reduce((total, char, index) => total + (index + 1) * (char === 'X' ? 10 : Number(char)), 0)
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '')
  if (!/^\d{13}$/.test(digits)) return false
  const sum = [...digits].reduce((total, char, index) => total + Number(char) * (index % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

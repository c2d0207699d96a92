/** Text. Positions count code points; letters change case within ASCII only. [k8s: CEL strings extension] */
import { CelError } from '../cel-error.ts'
import { ListValue } from '../cel-value.ts'
import { formatText } from './format-text.ts'
import type { FunctionTable } from './overload.ts'
import { compileRegex } from './regex.ts'

const points = (text: string): string[] => [...text]

const BASICS: FunctionTable = {
  'string.contains(string): bool': (text: string, part: string) => text.includes(part),
  'string.startsWith(string): bool': (text: string, part: string) => text.startsWith(part),
  'string.endsWith(string): bool': (text: string, part: string) => text.endsWith(part),
  'string.matches(string): bool': (text: string, pattern: string) => compileRegex(pattern).matcher(text).find(),
  'matches(string, string): bool': (text: string, pattern: string) => compileRegex(pattern).matcher(text).find(),
}

const EXTENSIONS: FunctionTable = {
  'string.charAt(int): string': charAt,
  'string.indexOf(string): int': (text: string, part: string) => indexOf(text, part, 0n),
  'string.indexOf(string, int): int': indexOf,
  'string.lastIndexOf(string): int': (text: string, part: string) =>
    lastIndexOf(text, part, BigInt(points(text).length)),
  'string.lastIndexOf(string, int): int': lastIndexOf,
  'string.lowerAscii(): string': (text: string) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()),
  'string.upperAscii(): string': (text: string) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()),
  'string.replace(string, string): string': (text: string, from: string, to: string) => replace(text, from, to, -1n),
  'string.replace(string, string, int): string': replace,
  'string.split(string): list<string>': (text: string, by: string) => split(text, by, -1n),
  'string.split(string, int): list<string>': split,
  'string.substring(int): string': substringFrom,
  'string.substring(int, int): string': substring,
  'string.trim(): string': (text: string) => text.replace(TRIMMED, ''),
  'string.format(list<dyn>): string': (pattern: string, values: ListValue) => formatText(pattern, values),
  'strings.quote(string): string': quote,
  'list<string>.join(): string': (list: ListValue) => join(list, ''),
  'list<string>.join(string): string': join,
}

/** Unicode white space as Go knows it. */
const TRIMMED =
  /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+|[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/g

function outOfRange(index: bigint): never {
  throw new CelError(`index out of range: ${index}`)
}

function charAt(text: string, index: bigint): string {
  const all = points(text)
  if (index < 0n || index > BigInt(all.length)) outOfRange(index)
  return all[Number(index)] ?? ''
}

function indexOf(text: string, part: string, from: bigint): bigint {
  if (part === '') return from
  const all = points(text)
  if (from < 0n || from > BigInt(all.length)) outOfRange(from)
  const start = all.slice(0, Number(from)).join('').length
  return positionAt(text, text.indexOf(part, start))
}

function lastIndexOf(text: string, part: string, from: bigint): bigint {
  const all = points(text)
  if (part === '') return from
  if (from < 0n || from > BigInt(all.length)) outOfRange(from)
  const start = all.slice(0, Number(from)).join('').length
  return positionAt(text, text.lastIndexOf(part, start))
}

/** The index in code points for one in UTF-16 units. */
function positionAt(text: string, unit: number): bigint {
  return unit < 0 ? -1n : BigInt(points(text.slice(0, unit)).length)
}

function replace(text: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return text.replaceAll(from, () => to)
  let left = limit
  return text.replaceAll(from, (found) => {
    left -= 1n
    return left < 0n ? found : to
  })
}

function split(text: string, by: string, limit: bigint): ListValue {
  if (limit === 0n) return new ListValue([])
  const parts = by === '' ? points(text) : text.split(by)
  if (limit < 0n || BigInt(parts.length) <= limit) return new ListValue(parts)
  const head = parts.slice(0, Number(limit) - 1)
  return new ListValue([...head, parts.slice(Number(limit) - 1).join(by)])
}

function substringFrom(text: string, from: bigint): string {
  const all = points(text)
  if (from < 0n || from > BigInt(all.length)) outOfRange(from)
  return all.slice(Number(from)).join('')
}

function substring(text: string, from: bigint, to: bigint): string {
  const all = points(text)
  const length = BigInt(all.length)
  if (from > to) throw new CelError(`invalid substring range. start: ${from}, end: ${to}`)
  if (from < 0n || from > length) outOfRange(from)
  if (to < 0n || to > length) outOfRange(to)
  return all.slice(Number(from), Number(to)).join('')
}

function join(list: ListValue, by: string): string {
  for (const item of list.items) if (typeof item !== 'string') throw new CelError('no such overload', 'noSuchOverload')
  return list.items.join(by)
}

const QUOTED: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
}

function quote(text: string): string {
  return `"${points(text)
    .map((char) => QUOTED[char] ?? char)
    .join('')}"`
}

const SEARCHES: FunctionTable = {
  'string.find(string): string': find,
  'string.findAll(string): list<string>': (text: string, pattern: string) => findAll(text, pattern, -1n),
  'string.findAll(string, int): list<string>': findAll,
}

function find(text: string, pattern: string): string {
  const matcher = compileRegex(pattern).matcher(text)
  return matcher.find() ? (matcher.group() ?? '') : ''
}

function findAll(text: string, pattern: string, limit: bigint): ListValue {
  const matcher = compileRegex(pattern).matcher(text)
  const found: string[] = []
  while ((limit < 0n || BigInt(found.length) < limit) && matcher.find()) found.push(matcher.group() ?? '')
  return new ListValue(found)
}

export const STRINGS: readonly FunctionTable[] = [BASICS, EXTENSIONS, SEARCHES]

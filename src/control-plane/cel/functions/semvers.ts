/** Semantic versions. [k8s: CEL semver library] */
import { CelError } from '../cel-error.ts'
import { OpaqueValue } from '../cel-value.ts'
import type { FunctionTable } from './overload.ts'

interface Version {
  readonly numbers: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly pre: readonly string[]
}

const NUMBER = '(0|[1-9]\\d*)'
const FORM = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-([0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`,
)

function parse(text: string, normalise = false): Version | undefined {
  const match = FORM.exec(normalise ? normalised(text) : text)
  if (match === null) return undefined
  const [, major = '', minor = '', patch = '', pre] = match
  const parts = pre === undefined ? [] : pre.split('.')
  if (parts.some((part) => /^0\d+$/.test(part))) return undefined
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], pre: parts }
}

/** `v1.02` as `1.2.0`. */
function normalised(text: string): string {
  const [, core = '', rest = ''] = /^v?([\d.]*)(.*)$/s.exec(text) ?? []
  const numbers = core.split('.').map((part) => part.replace(/^0+(?=\d)/, ''))
  while (numbers.length < 3) numbers.push('0')
  return `${numbers.join('.')}${rest}`
}

function semver(text: string, normalise = false): OpaqueValue {
  const version = parse(text, normalise)
  if (version === undefined) throw new CelError(problemOf(text))
  return new OpaqueValue('kubernetes.Semver', version, `${version.numbers.join('.')}-${version.pre.join('.')}`)
}

function problemOf(text: string): string {
  return text === '' ? 'Version string empty' : 'No Major.Minor.Patch elements found'
}

const of = (value: OpaqueValue): Version => value.payload as Version

function compare(left: OpaqueValue, right: OpaqueValue): bigint {
  const [a, b] = [of(left), of(right)]
  for (const [index, number] of a.numbers.entries()) {
    const other = b.numbers[index] ?? 0n
    if (number !== other) return number < other ? -1n : 1n
  }
  if (a.pre.length === 0 || b.pre.length === 0) return BigInt(Math.sign(b.pre.length - a.pre.length))
  return comparePre(a.pre, b.pre)
}

function comparePre(left: readonly string[], right: readonly string[]): bigint {
  for (const [index, part] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1n
    const order = comparePart(part, other)
    if (order !== 0n) return order
  }
  return left.length < right.length ? -1n : 0n
}

/** Numbers come before words. */
function comparePart(left: string, right: string): bigint {
  if (left === right) return 0n
  const [a, b] = [/^\d+$/.test(left), /^\d+$/.test(right)]
  if (a !== b) return a ? -1n : 1n
  const isLess = a ? BigInt(left) < BigInt(right) : left < right
  return isLess ? -1n : 1n
}

const number = (index: 0 | 1 | 2) => (value: OpaqueValue) => of(value).numbers[index]

export const SEMVERS: FunctionTable = {
  'semver(string): kubernetes.Semver': (text: string) => semver(text),
  'semver(string, bool): kubernetes.Semver': semver,
  'isSemver(string): bool': (text: string) => parse(text) !== undefined,
  'isSemver(string, bool): bool': (text: string, normalise: boolean) => parse(text, normalise) !== undefined,
  'kubernetes.Semver.major(): int': number(0),
  'kubernetes.Semver.minor(): int': number(1),
  'kubernetes.Semver.patch(): int': number(2),
  'kubernetes.Semver.compareTo(kubernetes.Semver): int': compare,
  'kubernetes.Semver.isLessThan(kubernetes.Semver): bool': (a: OpaqueValue, b: OpaqueValue) => compare(a, b) < 0n,
  'kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool': (a: OpaqueValue, b: OpaqueValue) => compare(a, b) > 0n,
}

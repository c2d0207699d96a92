/** Quantities such as `500m` and `1Gi`, exact. [k8s: CEL quantity library] */
import { CelError } from '../cel-error.ts'
import { OpaqueValue } from '../cel-value.ts'
import type { FunctionTable } from './overload.ts'

/** Digits with a decimal point so many places from the right: 1.5 is `{ digits: 15n, scale: 1 }`. */
interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

const FORM = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d+))$/
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const PROBLEM = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const MAX_LENGTH = 64
const MAX_EXPONENT = 100

function parse(text: string): Decimal | undefined {
  const match = text.length > MAX_LENGTH ? null : FORM.exec(text)
  if (match === null) return undefined
  const [, sign, number = '', binary, decimal = '', exponent] = match
  const power = exponent === undefined ? (DECIMAL.indexOf(decimal) - 3) * 3 : Number(exponent)
  if (Math.abs(power) > MAX_EXPONENT) return undefined
  const [whole = '', fraction = ''] = number.split('.')
  const factor = binary === undefined ? 1n : 1024n ** BigInt(BINARY.indexOf(binary) + 1)
  const digits = BigInt(`${whole}${fraction}`) * factor * (sign === '-' ? -1n : 1n)
  const scale = fraction.length - power
  return normalise(scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale })
}

function normalise({ digits, scale }: Decimal): Decimal {
  let [left, places] = [digits, scale]
  while (places > 0 && left % 10n === 0n) {
    left /= 10n
    places -= 1
  }
  return { digits: left, scale: places }
}

function quantity(value: Decimal): OpaqueValue {
  const normal = normalise(value)
  return new OpaqueValue('kubernetes.Quantity', normal, `${normal.digits}/${normal.scale}`)
}

function of(value: OpaqueValue): Decimal {
  return value.payload as Decimal
}

/** Both with the same scale. */
function align(left: Decimal, right: Decimal): readonly [left: bigint, right: bigint, scale: number] {
  const scale = Math.max(left.scale, right.scale)
  const [a, b] = [left, right].map(({ digits, scale: own }) => digits * 10n ** BigInt(scale - own))
  return [a ?? 0n, b ?? 0n, scale]
}

function compare(left: OpaqueValue, right: OpaqueValue): bigint {
  const [a, b] = align(of(left), of(right))
  if (a === b) return 0n
  return a < b ? -1n : 1n
}

function combine(left: OpaqueValue, right: Decimal, sign: 1n | -1n): OpaqueValue {
  const [a, b, scale] = align(of(left), right)
  return quantity({ digits: a + sign * b, scale })
}

const MAX_INT = 2n ** 63n - 1n

function isInteger(value: OpaqueValue): boolean {
  const { digits, scale } = of(value)
  return scale === 0 && digits <= MAX_INT && digits >= -MAX_INT - 1n
}

function asInteger(value: OpaqueValue): bigint {
  if (!isInteger(value)) throw new CelError('cannot convert value to integer')
  return of(value).digits
}

const whole = (digits: bigint): Decimal => ({ digits, scale: 0 })

export const QUANTITIES: FunctionTable = {
  'quantity(string): kubernetes.Quantity': (text: string) => {
    const value = parse(text)
    if (value === undefined) throw new CelError(PROBLEM)
    return quantity(value)
  },
  'isQuantity(string): bool': (text: string) => parse(text) !== undefined,
  'sign(kubernetes.Quantity): int': (value: OpaqueValue) => {
    const { digits } = of(value)
    return digits === 0n ? 0n : digits < 0n ? -1n : 1n
  },
  'kubernetes.Quantity.isInteger(): bool': isInteger,
  'kubernetes.Quantity.asInteger(): int': asInteger,
  'kubernetes.Quantity.asApproximateFloat(): double': (value: OpaqueValue) =>
    Number(of(value).digits) / 10 ** of(value).scale,
  'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool': (a: OpaqueValue, b: OpaqueValue) =>
    compare(a, b) > 0n,
  'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool': (a: OpaqueValue, b: OpaqueValue) => compare(a, b) < 0n,
  'kubernetes.Quantity.compareTo(kubernetes.Quantity): int': compare,
  'kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity': (a: OpaqueValue, b: OpaqueValue) =>
    combine(a, of(b), 1n),
  'kubernetes.Quantity.add(int): kubernetes.Quantity': (a: OpaqueValue, b: bigint) => combine(a, whole(b), 1n),
  'kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity': (a: OpaqueValue, b: OpaqueValue) =>
    combine(a, of(b), -1n),
  'kubernetes.Quantity.sub(int): kubernetes.Quantity': (a: OpaqueValue, b: bigint) => combine(a, whole(b), -1n),
}

/**
 * Quantities in the one form that the API server shows: `0.5` and `500m` are the same, as are `1024Mi` and `1Gi`. A
 * decimal quantity takes the largest suffix without a fraction, a binary one likewise, and binary ones below 1024 become
 * decimal. Fractions finer than a billionth are rounded up. [k8s apimachinery resource]
 */

const QUANTITY = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([numkMGTPE]?)|[eE]([+-]?\d+))$/
/** Longest text that is read; real quantities are much shorter. */
const MAX_LENGTH = 64

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']
const MAX_EXPONENT = 18
/** Values are counted in billionths. */
const SCALE = 9

export const QUANTITY_RULE =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

interface Parsed {
  readonly negative: boolean
  /** In billionths, without the sign. */
  readonly amount: bigint
  readonly form: 'decimal' | 'binary' | 'exponent'
}

/** The canonical text; undefined when it is no quantity. */
export function canonicalQuantity(value: string | number): string | undefined {
  const parsed = parseQuantity(String(value))
  if (parsed === undefined) return undefined
  const { negative, amount, form } = parsed
  return `${negative ? '-' : ''}${TEXTS[form](amount)}`
}

/** The value times 10^9; undefined when it is no quantity. */
export function quantityInBillionths(value: string): bigint | undefined {
  const parsed = parseQuantity(value)
  return parsed && (parsed.negative ? -parsed.amount : parsed.amount)
}

/** Whether `left` is at most `right`. Texts that are no quantities are reported elsewhere and pass here. */
export function quantityAtMost(left: string, right: string): boolean {
  const [first, second] = [quantityInBillionths(left), quantityInBillionths(right)]
  return first === undefined || second === undefined || first <= second
}

function parseQuantity(value: string): Parsed | undefined {
  const text = value.trim()
  const match = text.length > MAX_LENGTH ? null : QUANTITY.exec(text)
  if (match === null) return undefined
  const [, sign, digits = '', binary, decimal = '', exponent] = match
  if (exponent !== undefined && Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined
  const amount = scaled(digits, powerOf(decimal, exponent), binary)
  const form = binary === undefined ? 'decimal' : 'binary'
  return { negative: sign === '-' && amount !== 0n, amount, form: exponent === undefined ? form : 'exponent' }
}

const TEXTS = { decimal: decimalText, binary: binaryText, exponent: exponentText }

function powerOf(suffix: string, exponent: string | undefined): number {
  return exponent === undefined ? (DECIMAL_SUFFIXES.indexOf(suffix) - 3) * 3 : Number(exponent)
}

/** The amount in billionths, rounded up. */
function scaled(digits: string, power: number, binary: string | undefined): bigint {
  const [whole = '', fraction = ''] = digits.split('.')
  const factor = binary === undefined ? 1n : 1024n ** BigInt(BINARY_SUFFIXES.indexOf(binary))
  const mantissa = BigInt(`${whole}${fraction}` || '0') * factor
  const shift = SCALE + power - fraction.length
  if (shift >= 0) return mantissa * 10n ** BigInt(shift)
  return divideUp(mantissa, 10n ** BigInt(-shift))
}

const divideUp = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor

function binaryText(amount: bigint): string {
  const unit = 10n ** BigInt(SCALE)
  if (amount < 1024n * unit) return decimalText(amount)
  let value = divideUp(amount, unit)
  let index = 0
  while (index < BINARY_SUFFIXES.length - 1 && value % 1024n === 0n) {
    value /= 1024n
    index++
  }
  return `${value}${BINARY_SUFFIXES[index]}`
}

function decimalText(amount: bigint): string {
  const [value, groups] = withoutThousands(amount)
  return `${value}${DECIMAL_SUFFIXES[groups]}`
}

function exponentText(amount: bigint): string {
  const [value, groups] = withoutThousands(amount)
  const power = groups * 3 - SCALE
  return power === 0 ? String(value) : `${value}e${power}`
}

/** The amount divided by 1000 as often as it goes, up to the largest suffix; zero has no suffix. */
function withoutThousands(amount: bigint): [value: bigint, groups: number] {
  if (amount === 0n) return [0n, SCALE / 3]
  let value = amount
  let groups = 0
  while (groups < DECIMAL_SUFFIXES.length - 1 && value % 1000n === 0n) {
    value /= 1000n
    groups++
  }
  return [value, groups]
}

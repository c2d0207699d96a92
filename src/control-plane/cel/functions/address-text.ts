/** IP addresses as numbers and as text in the one canonical form. */
import { isIPv4, isIPv6 } from 'node:net'

export interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** Undefined: no address. A zone (`%eth0`) is not accepted. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, value: parseV4(text) }
  if (!isIPv6(text) || text.includes('%')) return undefined
  return { bits: 128, value: parseV6(text) }
}

function parseV4(text: string): bigint {
  return text.split('.').reduce((value, part) => value * 256n + BigInt(part), 0n)
}

function parseV6(text: string): bigint {
  const last = text.lastIndexOf(':') + 1
  const tail = text.slice(last)
  const plain = tail.includes('.') ? `${text.slice(0, last)}${asGroups(parseV4(tail))}` : text
  const [head = '', rest] = plain.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = rest === undefined || rest === '' ? [] : rest.split(':')
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return [...before, ...zeros, ...after].reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n)
}

function asGroups(value: bigint): string {
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`
}

export function formatAddress({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
  const { start, length } = longestZeros(groups)
  if (length < 2) return groups.join(':')
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`
}

/** The first of the longest runs of zero groups. */
function longestZeros(groups: readonly string[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  let start = 0
  for (const [index, group] of groups.entries()) {
    if (group !== '0') start = index + 1
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start }
  }
  return best
}

/** The address with only its first bits kept. */
export function maskAddress({ bits, value }: Address, prefix: number): Address {
  const rest = BigInt(bits - prefix)
  return { bits, value: (value >> rest) << rest }
}

/** IP addresses and networks. [k8s: CEL IP and CIDR libraries] */
import { CelError } from '../cel-error.ts'
import { OpaqueValue } from '../cel-value.ts'
import { type Address, formatAddress, maskAddress, parseAddress } from './address-text.ts'
import type { FunctionTable } from './overload.ts'

interface Network {
  readonly address: Address
  readonly prefix: number
}

function ip(address: Address): OpaqueValue {
  return new OpaqueValue('net.IP', address, `${address.bits}/${address.value}`)
}

function requireAddress(text: string): Address {
  if (/^::ffff:[\d.]+$/i.test(text)) throw new CelError(`IPv4-mapped IPv6 address "${text}" is not allowed`)
  if (text.includes('%')) throw new CelError(`IP address "${text}" with zone value is not allowed`)
  const address = parseAddress(text)
  if (address === undefined) {
    throw new CelError(
      `IP Address "${text}" parse error during conversion from string: ParseAddr("${text}"): ${addressProblem(text)}`,
    )
  }
  return address
}

function addressProblem(text: string): string {
  return /^\d+(\.\d+){1,2}$/.test(text) ? 'IPv4 address too short' : 'unable to parse IP'
}

function isIp(text: string): boolean {
  return parseAddress(text) !== undefined && !/^::ffff:[\d.]+$/i.test(text)
}

function addressOf(value: OpaqueValue): Address {
  return value.payload as Address
}

/** Whether the address is in the network written as such: `in(address, '10.0.0.0/8')`. */
function within(address: Address, text: string): boolean {
  const network = parseNetwork(text)
  return network !== undefined && contains(network, address)
}

const isLoopback = (address: Address): boolean => within(address, '127.0.0.0/8') || within(address, '::1/128')
const isUnspecified = (address: Address): boolean => address.value === 0n
const isLinkLocal = (address: Address): boolean => within(address, '169.254.0.0/16') || within(address, 'fe80::/10')
const isMulticast = (address: Address): boolean => within(address, '224.0.0.0/4') || within(address, 'ff00::/8')

function isLinkLocalMulticast(address: Address): boolean {
  if (address.bits === 32) return within(address, '224.0.0.0/24')
  return isMulticast(address) && ((address.value >> 112n) & 0xfn) === 2n
}

function isGlobalUnicast(address: Address): boolean {
  if (address.bits === 32 && address.value === 0xffff_ffffn) return false
  return !(isUnspecified(address) || isLoopback(address) || isMulticast(address) || isLinkLocal(address))
}

const onAddress =
  (judge: (address: Address) => boolean) =>
  (value: OpaqueValue): boolean =>
    judge(addressOf(value))

export const ADDRESSES: FunctionTable = {
  'ip(string): net.IP': (text: string) => ip(requireAddress(text)),
  'isIP(string): bool': isIp,
  'ip.isCanonical(string): bool': (text: string) => formatAddress(requireAddress(text)) === text,
  'string(net.IP): string': (value: OpaqueValue) => formatAddress(addressOf(value)),
  'net.IP.family(): int': (value: OpaqueValue) => (addressOf(value).bits === 32 ? 4n : 6n),
  'net.IP.isUnspecified(): bool': onAddress(isUnspecified),
  'net.IP.isLoopback(): bool': onAddress(isLoopback),
  'net.IP.isLinkLocalMulticast(): bool': onAddress(isLinkLocalMulticast),
  'net.IP.isLinkLocalUnicast(): bool': onAddress(isLinkLocal),
  'net.IP.isGlobalUnicast(): bool': onAddress(isGlobalUnicast),
}

function parseNetwork(text: string): Network | undefined {
  const slash = text.lastIndexOf('/')
  const address = parseAddress(text.slice(0, slash))
  const digits = text.slice(slash + 1)
  if (slash < 0 || address === undefined || !/^(0|[1-9]\d{0,2})$/.test(digits)) return undefined
  const prefix = Number(digits)
  return prefix <= address.bits ? { address, prefix } : undefined
}

function cidr(network: Network): OpaqueValue {
  return new OpaqueValue('net.CIDR', network, formatNetwork(network))
}

function formatNetwork({ address, prefix }: Network): string {
  return `${formatAddress(address)}/${prefix}`
}

function requireNetwork(text: string): Network {
  const network = parseNetwork(text)
  if (network === undefined) {
    throw new CelError(`${PARSE_PROBLEM}${PARSE_PROBLEM}netip.ParsePrefix("${text}"): no '/'`)
  }
  return network
}

const PARSE_PROBLEM = 'network address parse error during conversion from string: '

const networkOf = (value: OpaqueValue): Network => value.payload as Network

function contains({ address, prefix }: Network, other: Address): boolean {
  return address.bits === other.bits && maskAddress(address, prefix).value === maskAddress(other, prefix).value
}

function containsNetwork(outer: Network, inner: Network): boolean {
  return outer.prefix <= inner.prefix && contains(outer, inner.address)
}

export const NETWORKS: FunctionTable = {
  'cidr(string): net.CIDR': (text: string) => cidr(requireNetwork(text)),
  'isCIDR(string): bool': (text: string) => parseNetwork(text) !== undefined,
  'string(net.CIDR): string': (value: OpaqueValue) => formatNetwork(networkOf(value)),
  'net.CIDR.containsIP(net.IP): bool': (value: OpaqueValue, other: OpaqueValue) =>
    contains(networkOf(value), addressOf(other)),
  'net.CIDR.containsIP(string): bool': (value: OpaqueValue, text: string) =>
    contains(networkOf(value), requireAddress(text)),
  'net.CIDR.containsCIDR(net.CIDR): bool': (value: OpaqueValue, other: OpaqueValue) =>
    containsNetwork(networkOf(value), networkOf(other)),
  'net.CIDR.containsCIDR(string): bool': (value: OpaqueValue, text: string) =>
    containsNetwork(networkOf(value), requireNetwork(text)),
  'net.CIDR.ip(): net.IP': (value: OpaqueValue) => ip(networkOf(value).address),
  'net.CIDR.prefixLength(): int': (value: OpaqueValue) => BigInt(networkOf(value).prefix),
  'net.CIDR.masked(): net.CIDR': (value: OpaqueValue) => {
    const { address, prefix } = networkOf(value)
    return cidr({ address: maskAddress(address, prefix), prefix })
  },
}

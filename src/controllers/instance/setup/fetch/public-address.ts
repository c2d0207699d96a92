/**
 * Which addresses a URL of a user may lead to: the public internet and nothing else. The operator sits inside a network that the author
 * of a pool may not see, so every special range of the IANA registries is refused, and the metadata services of the clouds.
 */
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

type Range = readonly [network: string, prefix: number]

/** IPv4 ranges that are not public, by the word that messages use. */
const REFUSED_IPV4: Readonly<Record<string, readonly Range[]>> = {
  loopback: [['127.0.0.0', 8]],
  private: [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
    ['100.64.0.0', 10],
  ],
  'link-local': [['169.254.0.0', 16]],
  multicast: [['224.0.0.0', 4]],
  // The address of Azure's host agent; it lies in a public range.
  'cloud metadata': [['168.63.129.16', 32]],
  reserved: [
    ['0.0.0.0', 8],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.88.99.0', 24],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['240.0.0.0', 4],
  ],
}

const REFUSED_IPV6: Readonly<Record<string, readonly Range[]>> = {
  loopback: [['::1', 128]],
  private: [
    ['fc00::', 7],
    ['fec0::', 10],
  ],
  'link-local': [['fe80::', 10]],
  multicast: [['ff00::', 8]],
  // Tunnels (6to4, Teredo) carry an IPv4 address that no rule would look at.
  reserved: [
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ],
}

/** Translates IPv4 for networks without it (RFC 6052): the last 32 bits are the IPv4 address that is reached. */
const NAT64_PREFIX = '64:ff9b::'
const NAT64_PREFIX_LENGTH = 96

const refused: ReadonlyArray<readonly [reason: string, ranges: BlockList]> = [
  ...Object.entries(REFUSED_IPV4).map(([reason, ranges]) => [reason, ipv4Ranges(ranges)] as const),
  ...Object.entries(REFUSED_IPV6).map(([reason, ranges]) => [reason, ipv6Ranges(ranges)] as const),
]

/** Global unicast, and the two notations of IPv4 addresses, which the IPv4 rules then judge. */
const allowedIpv6 = ipv6Ranges([
  ['2000::', 3],
  ['::ffff:0:0', 96],
  [NAT64_PREFIX, NAT64_PREFIX_LENGTH],
])

/** `BlockList` itself applies IPv4 rules to IPv4-mapped IPv6 addresses. */
function ipv4Ranges(ranges: readonly Range[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) {
    list.addSubnet(network, prefix, 'ipv4')
    list.addSubnet(`${NAT64_PREFIX}${network}`, NAT64_PREFIX_LENGTH + prefix, 'ipv6')
  }
  return list
}

function ipv6Ranges(ranges: readonly Range[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, 'ipv6')
  return list
}

/** Why an address may not be connected to; `undefined` when it may. Text that is no IP address is refused. */
export function addressRefusal(address: string): string | undefined {
  // An address with a zone (`fe80::1%eth0`) is local to a link.
  if (isIP(address) === 0 || address.includes('%')) return `${address} is not a public address`
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  for (const [reason, ranges] of refused) {
    if (ranges.check(address, family)) return `${address} is a ${reason} address`
  }
  if (isIPv6(address) && !allowedIpv6.check(address, 'ipv6')) return `${address} is not a public address`
  return undefined
}

/** Suffixes that are answered by the machine, the local network or the cluster, never by the public DNS. */
const LOCAL_SUFFIXES = ['.localhost', '.local', '.internal', '.svc', '.home.arpa']
const LOCAL_NAMES = new Set(['kubernetes.default', 'metadata.goog'])

/**
 * Why the host of a URL may not be asked for, before any look-up; `undefined` when it may.
 * @param hostname as `URL.hostname` gives it: odd notations of IPv4 (`0x7f.1`, `2130706433`) are normal ones there already.
 */
export function hostRefusal(hostname: string): string | undefined {
  const host = hostname
    .toLowerCase()
    .replace(/\.+$/, '')
    .replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return addressRefusal(host)
  // The resolver completes a name without a dot with the search domains of the cluster.
  if (!host.includes('.')) return `${hostname} is not a public name`
  if (LOCAL_NAMES.has(host) || LOCAL_SUFFIXES.some((suffix) => host.endsWith(suffix))) {
    return `${hostname} is a name of the local network or the cluster`
  }
  return undefined
}

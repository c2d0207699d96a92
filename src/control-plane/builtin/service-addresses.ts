/** Which cluster IP and node ports a new Service gets: a place derived from its UID, then the next one that is free. */
import { createHash } from 'node:crypto'

/** What is in use already. Without knowledge of other Services nothing is: two may then get the same, if rarely. */
export interface ServiceAddresses {
  readonly isClusterIpTaken: (address: string) => boolean
  readonly isNodePortTaken: (port: number) => boolean
}

export const NOTHING_TAKEN: ServiceAddresses = { isClusterIpTaken: () => false, isNodePortTaken: () => false }

/** 10.96.0.0/12 without its first 256 addresses, which are for Services that ask for a certain one. */
const FIRST_ADDRESS = (10 << 24) + (96 << 16) + 256
const ADDRESSES = 2 ** 20 - 512
export const FIRST_NODE_PORT = 30_000
export const LAST_NODE_PORT = 32_767

/** Throws when all addresses are taken. */
export function pickClusterIp(seed: string, { isClusterIpTaken }: ServiceAddresses): string {
  return firstFree(seed, ADDRESSES, (offset) => dotted(FIRST_ADDRESS + offset), isClusterIpTaken)
}

/** Throws when all ports are taken. */
export function pickNodePort(seed: string, isTaken: (port: number) => boolean): number {
  return firstFree(seed, LAST_NODE_PORT - FIRST_NODE_PORT + 1, (offset) => FIRST_NODE_PORT + offset, isTaken)
}

function firstFree<T>(seed: string, size: number, at: (offset: number) => T, isTaken: (candidate: T) => boolean): T {
  const start = createHash('sha256').update(seed).digest().readUInt32BE() % size
  for (let step = 0; step < size; step++) {
    const candidate = at((start + step) % size)
    if (!isTaken(candidate)) return candidate
  }
  throw new Error(`all ${size} addresses or ports of Services are in use; delete Services that are no longer needed`)
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >> shift) & 255).join('.')
}

/** Label value that finds the leases of one identity: FNV-1a 64 of its UTF-8 bytes, 16 hex digits. Not a secret, may collide. */
const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n
const MASK = (1n << 64n) - 1n

export function requesterHash(identity: string): string {
  let hash = OFFSET
  for (const byte of Buffer.from(identity, 'utf8')) hash = ((hash ^ BigInt(byte)) * PRIME) & MASK
  return hash.toString(16).padStart(16, '0')
}

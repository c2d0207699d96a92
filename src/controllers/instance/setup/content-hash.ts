import { createHash } from 'node:crypto'

/** Names content, so that what was applied is known without keeping it. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

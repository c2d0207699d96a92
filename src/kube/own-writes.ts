/**
 * What this process has written and its informer may not show yet. A pass that reads through it sees its own writes at once,
 * so a lagging cache neither repeats a write (which the fence would refuse) nor counts a member that has just changed.
 */
import type { KubeObject } from '../api/resource.ts'
import { isNewer } from './resource-version.ts'

export interface OwnWrites<T extends KubeObject> {
  /** Remembers the server's answer to a write, or to a read that was made because the cache may lag behind. */
  record(written: T): void
  /** The newer one of what is cached and what was recorded of the same object (same UID). Only ever asked with what is cached. */
  latest(cached: T): T
  /** What the cache may not show yet, or showed a moment ago. */
  recorded(): Iterable<T>
  /** The object is gone. */
  forget(metadata: { readonly uid?: string | undefined }): void
  /** Whether it was said to be gone. False does not mean that it is there. */
  isGone(uid: string | undefined): boolean
}

/** How many of those that are gone are remembered: what still names one asks within seconds. */
const REMEMBERED = 10_000

export function createOwnWrites<T extends KubeObject>(): OwnWrites<T> {
  // By UID: a pass over a large pool asks for every member, and text is not to be put together for each.
  const written = new Map<string, T>()
  const gone = new Set<string>()
  return {
    record: (object) => {
      const { uid = '', resourceVersion } = object.metadata
      const held = written.get(uid)
      // Answers may overtake each other.
      if (!isNewer(held?.metadata.resourceVersion, resourceVersion)) written.set(uid, object)
    },
    latest: (cached) => {
      const { uid = '', resourceVersion } = cached.metadata
      const own = written.get(uid)
      if (own === undefined) return cached
      if (isNewer(own.metadata.resourceVersion, resourceVersion)) return own
      written.delete(uid)
      return cached
    },
    recorded: () => written.values(),
    forget: ({ uid = '' }) => {
      written.delete(uid)
      gone.add(uid)
      const [oldest] = gone.size > REMEMBERED ? gone : []
      if (oldest !== undefined) gone.delete(oldest)
    },
    isGone: (uid = '') => gone.has(uid),
  }
}

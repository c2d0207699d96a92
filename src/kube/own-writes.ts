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
  /** The object is gone. */
  forget(metadata: { readonly uid?: string | undefined }): void
}

export function createOwnWrites<T extends KubeObject>(): OwnWrites<T> {
  // By UID: a pass over a large pool asks for every member, and text is not to be put together for each.
  const written = new Map<string, T>()
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
    forget: ({ uid = '' }) => {
      written.delete(uid)
    },
  }
}

/**
 * What this process has written and its informer may not show yet. A pass that reads through it sees its own writes at once,
 * so a lagging cache neither repeats a write (which the fence would refuse) nor counts a member that has just changed.
 */
import type { KubeObject } from '../api/resource.ts'
import { keyOf, objectKey } from './object-key.ts'
import { isNewer } from './resource-version.ts'

export interface OwnWrites<T extends KubeObject> {
  /** Remembers the server's answer to a write, or to a read that was made because the cache may lag behind. */
  record(written: T): void
  /** The newer one of what is cached and what was recorded of the same object (same UID). Only ever asked with what is cached. */
  latest(cached: T): T
  /** The object is gone. */
  forget(metadata: { readonly namespace?: string | undefined; readonly name?: string | undefined }): void
}

export function createOwnWrites<T extends KubeObject>(): OwnWrites<T> {
  const written = new Map<string, T>()
  return {
    record: (object) => {
      const key = objectKey(object)
      const held = written.get(key)
      // Answers may overtake each other.
      const late =
        held?.metadata.uid === object.metadata.uid &&
        isNewer(held?.metadata.resourceVersion, object.metadata.resourceVersion)
      if (!late) written.set(key, object)
    },
    latest: (cached) => {
      const key = objectKey(cached)
      const own = written.get(key)
      if (own === undefined) return cached
      const ahead =
        own.metadata.uid === cached.metadata.uid &&
        isNewer(own.metadata.resourceVersion, cached.metadata.resourceVersion)
      if (ahead) return own
      written.delete(key)
      return cached
    },
    forget: ({ namespace, name = '' }) => {
      written.delete(keyOf(namespace, name))
    },
  }
}

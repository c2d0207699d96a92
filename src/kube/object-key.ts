/** Names of objects as one string, `namespace/name` (cluster-scoped: `name`): the keys of caches and queues. */
import type { KubeObject } from '../api/resource.ts'

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`
}

export function objectKey(object: KubeObject): string {
  return keyOf(object.metadata.namespace, object.metadata.name ?? '')
}

/** The reverse of `keyOf`: names hold no slash. */
export function splitKey(key: string): { namespace?: string; name: string } {
  const slash = key.indexOf('/')
  return slash === -1 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) }
}

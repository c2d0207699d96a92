import type { KubeObject } from '../api/resource.ts'

/** Caches may span namespaces; HTTP serves one. */
export function isSameNamespace(namespace: string): (object: KubeObject) => boolean {
  return (object) => object.metadata.namespace === namespace
}

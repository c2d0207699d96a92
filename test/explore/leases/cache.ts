/** An informer that shows a given set of objects and never changes. */
import type { KubeObject } from '../../../src/api/resource.ts'
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import { keyOf, type Objects, ofKind } from './world.ts'

const INDEXES: Readonly<Record<string, (object: KubeObject) => string | undefined>> = {
  pool: (object) => poolOf(object as ClusterLease | ClusterInstance),
  instance: (object) => (object as ClusterLease).status?.binding?.instance.name,
  name: ({ metadata }) => metadata.name,
}

function poolOf({ spec }: ClusterLease | ClusterInstance): string | undefined {
  return typeof spec.poolRef === 'string' ? spec.poolRef : spec.poolRef?.name
}

export function cacheOf<T extends KubeObject>(seen: Objects, plural: string) {
  const objects = ofKind<T>(seen, plural)
  return {
    get: (_namespace: string | undefined, name: string) => seen.get(keyOf(plural, name)) as T | undefined,
    list: () => objects,
    byIndex: (index: string, value: string) => objects.filter((object) => INDEXES[index]?.(object) === value),
    lastResourceVersion: () => '0',
    on(listener: (change: { type: 'ADDED'; object: T }) => void) {
      for (const object of objects) listener({ type: 'ADDED', object })
      return () => undefined
    },
  }
}

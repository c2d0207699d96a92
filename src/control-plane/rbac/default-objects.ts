/** The roles and bindings that every cluster has. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { formatTime, type WriteCore } from '../registry/core.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { keyOf } from '../store/entry.ts'

interface DefaultObject {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

const KINDS = {
  clusterroles: 'ClusterRole',
  clusterrolebindings: 'ClusterRoleBinding',
  roles: 'Role',
  rolebindings: 'RoleBinding',
} as const

type Plural = keyof typeof KINDS

/** Creates what is missing; what is there stays as it is. */
export function createDefaults({ store, now }: WriteCore): void {
  const file = new URL('../generated/rbac-defaults.json', import.meta.url)
  const defaults = JSON.parse(readFileSync(file, 'utf8')) as Record<Plural, readonly DefaultObject[]>
  const creationTimestamp = formatTime(now())
  for (const plural of Object.keys(KINDS) as Plural[]) {
    const resource = `${plural}.rbac.authorization.k8s.io`
    for (const object of defaults[plural]) {
      const key = keyOf(object.namespace, object.name)
      if (store.get(resource, key) !== undefined) continue
      store.put(resource, key, render(KINDS[plural], object, creationTimestamp), undefined)
    }
  }
}

function render(kind: string, object: DefaultObject, creationTimestamp: string): StoredObject {
  const { name, namespace, labels, ...fields } = object
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: randomUUID(),
      resourceVersion: '',
      creationTimestamp,
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    },
    ...fields,
  }
}

/**
 * Who is bound to which role, by namespace and subject. A namespace is indexed when it is first asked about; a change of
 * one of its bindings forgets it. Roles are read from the store each time: an entry is parsed at most once.
 */
import { serviceAccountUser, type UserInfo } from '../auth/user.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import type { Store } from '../store/store.ts'

export const CLUSTER_ROLES = 'clusterroles.rbac.authorization.k8s.io'
export const CLUSTER_BINDINGS = 'clusterrolebindings.rbac.authorization.k8s.io'
export const ROLES = 'roles.rbac.authorization.k8s.io'
export const BINDINGS = 'rolebindings.rbac.authorization.k8s.io'

export interface RoleRef {
  readonly kind: string
  readonly name: string
  readonly apiGroup: string
}

export interface Binding {
  readonly kind: 'ClusterRoleBinding' | 'RoleBinding'
  readonly name: string
  /** Empty: in all namespaces. */
  readonly namespace: string
  readonly roleRef: RoleRef
  readonly subjects: readonly Subject[]
}

interface Subject {
  /** Equal for what names the same user or group. */
  readonly key: string
  readonly text: string
}

type BySubject = ReadonlyMap<string, readonly Binding[]>

const ALL_NAMESPACES = ''

export class BindingIndex {
  readonly #store: Store
  readonly #scopes = new Map<string, BySubject>()

  constructor(store: Store) {
    this.#store = store
    store.watch(CLUSTER_BINDINGS, () => this.#scopes.delete(ALL_NAMESPACES))
    store.watch(BINDINGS, ({ entry }) => this.#scopes.delete(entry.key.split('/', 1)[0] ?? ''))
  }

  /** Those for all namespaces first, then those of the namespace, each once. */
  *of(user: UserInfo, namespace: string | undefined): Iterable<Binding> {
    const keys = subjectKeys(user)
    yield* bindingsOf(this.#scope(ALL_NAMESPACES), keys)
    if (namespace !== undefined) yield* bindingsOf(this.#scope(namespace), keys)
  }

  #scope(namespace: string): BySubject {
    let index = this.#scopes.get(namespace)
    if (index === undefined) {
      index = this.#indexScope(namespace)
      // Requests may name any namespace: those without bindings must not fill the memory.
      if (index.size > 0) this.#scopes.set(namespace, index)
    }
    return index
  }

  #indexScope(namespace: string): BySubject {
    const index = new Map<string, Binding[]>()
    const across = namespace === ALL_NAMESPACES
    const entries = this.#store.collection(across ? CLUSTER_BINDINGS : BINDINGS).entries(across ? '' : `${namespace}/`)
    for (const { object } of entries) {
      const binding = readBinding(object, namespace)
      for (const key of new Set(binding.subjects.map((subject) => subject.key))) {
        const known = index.get(key)
        if (known === undefined) index.set(key, [binding])
        else known.push(binding)
      }
    }
    return index
  }
}

function* bindingsOf(index: BySubject, keys: readonly string[]): Iterable<Binding> {
  const seen = new Set<Binding>()
  for (const key of keys) {
    for (const binding of index.get(key) ?? []) {
      if (!seen.has(binding)) yield binding
      seen.add(binding)
    }
  }
}

function readBinding(object: StoredObject, namespace: string): Binding {
  const { roleRef, subjects } = object
  return {
    kind: namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding',
    name: object.metadata.name,
    namespace,
    roleRef: readRoleRef(roleRef),
    subjects: Array.isArray(subjects)
      ? subjects.filter(isObject).flatMap((subject) => toSubject(subject, namespace))
      : [],
  }
}

export function readRoleRef(value: unknown): RoleRef {
  const { kind, name, apiGroup } = isObject(value) ? value : {}
  return { kind: String(kind ?? ''), name: String(name ?? ''), apiGroup: String(apiGroup ?? '') }
}

/** A ServiceAccount without a namespace is one of the binding's own. */
function toSubject({ kind, name, namespace }: JsonObject, bindingNamespace: string): Subject[] {
  if (typeof name !== 'string') return []
  if (kind === 'User') return [{ key: userKey(name), text: `User "${name}"` }]
  if (kind === 'Group') return [{ key: groupKey(name), text: `Group "${name}"` }]
  const home = typeof namespace === 'string' && namespace !== '' ? namespace : bindingNamespace
  if (kind !== 'ServiceAccount' || home === '') return []
  return [{ key: userKey(serviceAccountUser(home, name)), text: `ServiceAccount "${name}/${home}"` }]
}

function userKey(name: string): string {
  return `user ${name}`
}

function groupKey(name: string): string {
  return `group ${name}`
}

const keysOfUsers = new WeakMap<UserInfo, readonly string[]>()

/** Most users are the same object in each of their requests. */
function subjectKeys(user: UserInfo): readonly string[] {
  let keys = keysOfUsers.get(user)
  if (keys === undefined) {
    keys = [userKey(user.name), ...user.groups.map(groupKey)]
    keysOfUsers.set(user, keys)
  }
  return keys
}

/** Such as `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`. */
export function describeBinding({ kind, name, namespace, roleRef, subjects }: Binding, user: UserInfo): string {
  const keys = new Set(subjectKeys(user))
  const subject = subjects.find(({ key }) => keys.has(key))
  const shown = namespace === '' ? name : `${name}/${namespace}`
  return `${kind} "${shown}" of ${roleRef.kind} "${roleRef.name}" to ${subject?.text ?? ''}`
}

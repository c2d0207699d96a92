import { describe, expect, it } from 'vitest'
import type { Attributes } from '../auth/authorize.ts'
import { Registry } from '../registry/registry.ts'
import { createMemoryPersistence } from '../store/persistence.ts'
import { Store } from '../store/store.ts'
import { BINDINGS, CLUSTER_BINDINGS, CLUSTER_ROLES, ROLES } from './binding-index.ts'
import { Rbac } from './rbac.ts'

const GET_PODS = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const LIST_PODS = { ...GET_PODS, verbs: ['list'] }

function world() {
  const store = new Store({
    persistence: createMemoryPersistence(),
    watchHistory: 16,
    onError: (error) => {
      throw error
    },
  })
  const put = (resource: string, key: string, fields: object, labels = {}) => {
    const [namespace, name] = key.includes('/') ? key.split('/') : [undefined, key]
    const metadata = {
      name: name ?? '',
      namespace: namespace ?? '',
      uid: key,
      resourceVersion: '',
      creationTimestamp: '',
      labels,
    }
    return store.put(resource, key, { apiVersion: '', kind: '', metadata, ...fields }, store.get(resource, key))
  }
  const remove = (resource: string, key: string) => {
    const entry = store.get(resource, key)
    if (entry !== undefined) store.remove(resource, entry)
  }
  const rulesAt = (name: string) => store.get(CLUSTER_ROLES, name)?.object['rules']
  return { store, put, remove, rulesAt, rbac: new Rbac({ store, registry: new Registry([]), now: () => 0 }) }
}

const bind = (kind: string, name: string, ...users: string[]) => ({
  roleRef: { kind, name },
  subjects: users.map((user) => ({ kind: 'User', name: user })),
})
const getPods = (name: string, namespace?: string): Attributes => ({
  user: { name, groups: [] },
  verb: 'get',
  resource: { group: '', version: 'v1', plural: 'pods', ...(namespace !== undefined && { namespace }) },
})

describe('Rbac', () => {
  it('creates nothing as long as only members of system:masters ask', async () => {
    const { store, rbac } = world()
    const request = { ...getPods('root'), user: { name: 'root', groups: ['system:masters'] } }
    expect(rbac.authorize(request)).toEqual({ allowed: true, reason: '' })
    expect(store.revision).toBe(0)
  })

  it('follows every change of roles and bindings', async () => {
    const { put, remove, rbac } = world()
    await rbac.load()
    const allowed = (namespace?: string) => rbac.authorize(getPods('u', namespace)).allowed
    expect(allowed('a')).toBe(false)
    put(ROLES, 'a/reader', { rules: [GET_PODS] })
    put(BINDINGS, 'a/b', bind('Role', 'reader', 'u'))
    expect([allowed('a'), allowed('b'), allowed()]).toEqual([true, false, false])
    put(ROLES, 'a/reader', { rules: [LIST_PODS] })
    expect(allowed('a')).toBe(false)
    put(ROLES, 'a/reader', { rules: [GET_PODS] })
    put(BINDINGS, 'a/b', bind('Role', 'reader', 'v'))
    expect(allowed('a')).toBe(false)
    put(CLUSTER_ROLES, 'all', { rules: [GET_PODS] })
    put(CLUSTER_BINDINGS, 'all', bind('ClusterRole', 'all', 'u'))
    expect([allowed('a'), allowed('b'), allowed()]).toEqual([true, true, true])
    remove(CLUSTER_BINDINGS, 'all')
    expect(allowed()).toBe(false)
  })

  it('says which roles are missing, each once', async () => {
    const { put, rbac } = world()
    put(CLUSTER_BINDINGS, 'x', bind('ClusterRole', 'gone', 'u'))
    put(CLUSTER_BINDINGS, 'y', bind('ClusterRole', 'gone', 'u'))
    await rbac.load()
    expect(rbac.authorize(getPods('u'))).toEqual({
      allowed: false,
      reason: 'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    })
  })

  it('creates defaults that are missing and leaves those that were changed', async () => {
    const { put, rbac, rulesAt } = world()
    put(CLUSTER_ROLES, 'system:discovery', { rules: [] })
    await rbac.load()
    expect(rulesAt('system:discovery')).toEqual([])
    expect(rulesAt('cluster-admin')).toHaveLength(2)
  })
})

describe('aggregated roles', () => {
  const select = (label: string) => ({
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'yes' } }] },
  })

  it('hold the rules of the roles they select, also of aggregated ones, without repetitions', async () => {
    const { put, rbac, rulesAt, remove } = world()
    await rbac.load()
    put(CLUSTER_ROLES, 'outer', { ...select('inner') })
    put(CLUSTER_ROLES, 'inner', { ...select('part') }, { inner: 'yes' })
    put(CLUSTER_ROLES, 'one', { rules: [GET_PODS] }, { part: 'yes' })
    put(CLUSTER_ROLES, 'two', { rules: [LIST_PODS, GET_PODS] }, { part: 'yes' })
    expect([rulesAt('inner'), rulesAt('outer')]).toEqual([
      [GET_PODS, LIST_PODS],
      [GET_PODS, LIST_PODS],
    ])
    remove(CLUSTER_ROLES, 'two')
    expect(rulesAt('outer')).toEqual([GET_PODS])
  })

  it('come to an end when they select each other in a circle', async () => {
    const { put, rbac, store } = world()
    put(CLUSTER_ROLES, 'a', { rules: [GET_PODS], ...select('b') }, { a: 'yes' })
    put(CLUSTER_ROLES, 'b', { rules: [LIST_PODS], ...select('c') }, { b: 'yes' })
    put(CLUSTER_ROLES, 'c', { rules: [], ...select('a') }, { c: 'yes' })
    await rbac.load()
    const before = store.revision
    put(CLUSTER_ROLES, 'other', { rules: [] })
    expect(store.revision - before).toBeLessThan(50)
  })

  it('of a fresh server make view, edit and admin', async () => {
    const { rbac, rulesAt } = world()
    await rbac.load()
    expect(['view', 'edit', 'admin'].map((name) => (rulesAt(name) as unknown[]).length)).toEqual([12, 27, 29])
  })
})

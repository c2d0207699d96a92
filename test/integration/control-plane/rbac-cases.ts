/** Requests whose answers a real server and this one must agree on. The administrator sends them as somebody else. */
import { account, GROUP, on, roleRef, user } from './rbac-world.ts'

export interface Case {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Impersonate-User. */
  readonly as?: string
  /** Impersonate-Group. */
  readonly groups?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** Sent with the token of that ServiceAccount in team-a; null: without credentials; absent: the administrator. */
  readonly by?: string | null
}

const CORE_A = '/api/v1/namespaces/team-a'
const RBAC = `/apis/${GROUP}/v1`
const DRY = '?dryRun=All'
const REVIEW = '/apis/authorization.k8s.io/v1'
const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const MERGE = { 'content-type': 'application/merge-patch+json' }

const get = (as: string, path: string, groups: readonly string[] = []): Case => ({ method: 'GET', path, as, groups })
const send = (as: string, method: string, path: string, body?: unknown): Case => ({
  method,
  path,
  as,
  ...(body !== undefined && { body }),
  ...(method === 'PATCH' && { headers: MERGE }),
})

const reads: Case[] = [
  get('pat', '/api/v1/pods'),
  get('pat', `${CORE_A}/pods`),
  get('pat', `${CORE_A}/pods/x`),
  get('mona', `${CORE_A}/pods/x/log`),
  get('pat', `${CORE_A}/pods/x/status`),
  get('pat', `${CORE_A}/secrets`),
  get('pat', '/api/v1/nodes'),
  get('other', `${CORE_A}/pods`, ['pod-people']),
  get('other', `${CORE_A}/pods`, ['others']),
  get('patty', `${CORE_A}/pods/x/log`),
  get('patty', `${CORE_A}/pods/x`),
  get('scarlet', '/apis/apps/v1/namespaces/team-a/deployments/x/scale'),
  get('scarlet', '/apis/apps/v1/namespaces/team-a/deployments/x'),
  get('scarlet', `${CORE_A}/replicationcontrollers/x/scale`),
  get('mona', `${CORE_A}/configmaps/one`),
  get('mona', `${CORE_A}/configmaps/two`),
  get('mona', `${CORE_A}/configmaps`),
  get('mona', `${CORE_A}/configmaps?fieldSelector=metadata.name%3Done`),
  get('mona', `${CORE_A}/configmaps?fieldSelector=metadata.name%3Dtwo`),
  get('mona', `${CORE_A}/configmaps?fieldSelector=metadata.name%3Done,metadata.namespace%3Dteam-a`),
  get('cora', '/api/v1/nodes'),
  get('cora', `${CORE_A}/pods/x/status`),
  get('cora', '/apis/apps/v1/deployments'),
  get('gus', '/apis/apps/v1/deployments'),
  get('gus', '/apis/apps/v1/daemonsets'),
  get('gus', '/apis/apps/v1/namespaces/team-a/deployments/x/status'),
  get('colin', `${CORE_A}/secrets`),
  get('colin', `${CORE_A}/secrets/x`),
  get('colin', `${CORE_A}/configmaps`),
  get('nina', CORE_A),
  get('nina', '/api/v1/namespaces'),
  get('nina', '/api/v1/namespaces/team-b'),
  get('nina', '/apis/example.com/v1/namespaces/team-a/widgets'),
  get('nina', '/apis/example.com/v1/namespaces/team-b/widgets'),
  get('nina', `${CORE_A}/pods`),
  get('system:serviceaccount:team-a:robot', CORE_A),
  get('system:serviceaccount:team-b:robot', CORE_A),
  get('system:serviceaccount:team-c:robot', CORE_A),
  get('lost', `${CORE_A}/pods`),
  get('lost', '/api/v1/nodes'),
  get('vi', `${CORE_A}/configmaps`),
  get('vi', `${CORE_A}/secrets`),
  get('vi', '/api/v1/namespaces/team-b/configmaps'),
  get('ed', `${CORE_A}/secrets`),
  get('ed', `${RBAC}/namespaces/team-a/roles`),
  get('ada', `${RBAC}/namespaces/team-a/roles`),
  get('ada', '/api/v1/namespaces'),
  get('root', '/api/v1/nodes', ['system:masters']),
  get('vi', `${RBAC}/clusterroles/view?x=1`),
]

const paths: Case[] = [
  get('uri', '/metrics/x'),
  get('uri', '/debug'),
  get('uri', '/debug/no/such/path'),
  get('uri', '/a/x/b'),
  get('ursula', '/no/such/path'),
  send('ursula', 'POST', '/no/such/path', {}),
  send('uri', 'POST', '/debug/x', {}),
  get('bob', '/api'),
  get('bob', '/apis/apps/v1'),
  get('bob', '/openapi/v3'),
  get('bob', '/'),
  get('bob', '/version'),
  get('bob', '/healthz'),
  get('bob', '/livez/ping'),
  { method: 'GET', path: '/version', by: null },
  { method: 'GET', path: '/readyz', by: null },
  { method: 'GET', path: '/api', by: null },
  { method: 'GET', path: '/api/v1/pods', by: null },
  { method: 'GET', path: '/api/v1/pods', by: null, headers: { authorization: 'Basic YTpi' } },
  { method: 'GET', path: '/api/v1/pods', by: null, headers: { authorization: 'Bearer x' } },
]

const writes: Case[] = [
  send('mona', 'DELETE', `${CORE_A}/configmaps/two`),
  send('mona', 'DELETE', `${CORE_A}/configmaps`),
  send('mona', 'PUT', `${CORE_A}/configmaps/two`, { metadata: { name: 'two' } }),
  send('mona', 'PATCH', `${CORE_A}/configmaps/one`, {}),
  send('mona', 'POST', `${CORE_A}/configmaps`, { metadata: { name: 'one' } }),
  send('eve', 'POST', `${CORE_A}/pods/x/eviction`, { metadata: { name: 'x' } }),
  send('eve', 'POST', '/api/v1/namespaces/team-b/pods/x/eviction', { metadata: { name: 'x' } }),
  send('eve', 'POST', `${CORE_A}/pods/x/binding`, {}),
  send('eve', 'POST', `${CORE_A}/serviceaccounts/nobody/token`, { spec: {} }),
  send('vi', 'POST', `${CORE_A}/configmaps${DRY}`, { metadata: { name: 'three' } }),
  send('ed', 'POST', `${CORE_A}/configmaps${DRY}`, { metadata: { name: 'three' } }),
  send('ed', 'DELETE', `${CORE_A}/secrets`),
]

const ROLES_A = `${RBAC}/namespaces/team-a/roles`
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/team-a/leases'
const newRole = (rules: object[], metadata: object = { name: 'new' }) => ({ metadata, rules })
const apply = (as: string, name: string, rules: object[]): Case => ({
  method: 'PATCH',
  path: `${ROLES_A}/${name}${DRY}&fieldManager=test`,
  body: { apiVersion: `${GROUP}/v1`, kind: 'Role', ...newRole(rules, { name }) },
  as,
  headers: { 'content-type': 'application/apply-patch+yaml' },
})
const newBinding = (kind: 'Role' | 'ClusterRole', name: string) => ({
  metadata: { name: 'new' },
  roleRef: roleRef(kind, name),
  subjects: [user('bob'), account('robot', 'team-a')],
})
const BINDINGS_A = `${RBAC}/namespaces/team-a/rolebindings`

const grants: Case[] = [
  send('rita', 'POST', ROLES_A + DRY, newRole([on('get', 'pods')])),
  send('rita', 'POST', ROLES_A + DRY, newRole([on('get,list,delete,watch', 'pods'), on('get', 'pods/log,secrets')])),
  send('rita', 'POST', ROLES_A + DRY, newRole([on('get,list', 'pods', '', ['a', 'b'])])),
  send('rita', 'POST', ROLES_A + DRY, newRole([on('delete,get,update', 'pods', '', ['a', 'b'])])),
  send('rita', 'POST', ROLES_A + DRY, newRole([on('*', '*', '*')])),
  send('rita', 'POST', ROLES_A + DRY, newRole([])),
  send('rita', 'POST', ROLES_A + DRY, newRole([{ verbs: ['get'] }])),
  send('rita', 'POST', `${RBAC}/clusterroles${DRY}`, newRole([{ verbs: ['get'], nonResourceURLs: ['/metrics'] }])),
  send(
    'rita',
    'POST',
    `${RBAC}/clusterroles${DRY}`,
    newRole([{ verbs: ['get', 'put'], nonResourceURLs: ['/x', '/y/*'] }]),
  ),
  send('rita', 'POST', `${RBAC}/clusterroles${DRY}`, {
    metadata: { name: 'new' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
  }),
  send('rita', 'PUT', `${ROLES_A}/gone${DRY}`, newRole([on('get', 'pods')], { name: 'gone' })),
  send('rita', 'PUT', `${ROLES_A}/gone${DRY}`, newRole([on('get', 'secrets')], { name: 'gone' })),
  send('rita', 'PATCH', `${ROLES_A}/gone${DRY}`, { rules: [on('get', 'secrets')] }),
  send('rita', 'PATCH', `${RBAC}/clusterroles/pod-reader${DRY}`, { metadata: { labels: { a: 'b' } } }),
  send('rita', 'PATCH', `${RBAC}/clusterroles/pod-reader${DRY}`, { metadata: { finalizers: ['x.io/y'] } }),
  send('rita', 'PATCH', `${RBAC}/clusterroles/collected${DRY}`, { aggregationRule: null, rules: [] }),
  send('rita', 'POST', BINDINGS_A + DRY, newBinding('ClusterRole', 'pod-reader')),
  send('rita', 'POST', BINDINGS_A + DRY, newBinding('Role', 'gone')),
  send('rita', 'POST', BINDINGS_A + DRY, newBinding('Role', 'absent')),
  send('rita', 'POST', BINDINGS_A + DRY, newBinding('ClusterRole', 'absent')),
  send('rita', 'POST', `${RBAC}/clusterrolebindings${DRY}`, newBinding('ClusterRole', 'cluster-admin')),
  send('chandra', 'PUT', `${ROLES_A}/absent${DRY}`, newRole([], { name: 'absent' })),
  send('chandra', 'PUT', `${ROLES_A}/gone${DRY}`, newRole([], { name: 'gone' })),
  send('chandra', 'PUT', `${LEASES}/absent${DRY}`, { metadata: { name: 'absent' }, spec: {} }),
  send('chandra', 'PATCH', `${ROLES_A}/absent${DRY}`, {}),
  send('rita', 'PUT', `${ROLES_A}/absent${DRY}`, newRole([on('get', 'secrets')], { name: 'absent' })),
  apply('rita', 'gone', [on('get', 'pods')]),
  apply('rita', 'gone', [on('get', 'secrets')]),
  apply('rita', 'absent', [on('get', 'secrets')]),
  apply('chandra', 'absent', []),
  apply('chandra', 'gone', [on('get', 'nodes')]),
  send('esther', 'POST', ROLES_A + DRY, newRole([on('*', '*', '*')])),
  send('esther', 'POST', BINDINGS_A + DRY, newBinding('ClusterRole', 'pod-reader')),
  send('bindy', 'POST', BINDINGS_A + DRY, newBinding('ClusterRole', 'pod-reader')),
  send('bindy', 'POST', `${RBAC}/clusterrolebindings${DRY}`, newBinding('ClusterRole', 'pod-reader')),
  send('bindy', 'POST', BINDINGS_A + DRY, newBinding('ClusterRole', 'view')),
  send('bindy', 'POST', ROLES_A + DRY, newRole([on('get', 'secrets')])),
  send('ada', 'POST', ROLES_A + DRY, newRole([on('get', 'secrets')])),
  send('ada', 'POST', ROLES_A + DRY, newRole([on('get', 'nodes')])),
  send('ada', 'POST', BINDINGS_A + DRY, newBinding('ClusterRole', 'edit')),
  send('ada', 'POST', BINDINGS_A + DRY, newBinding('ClusterRole', 'cluster-admin')),
]

const may = (spec: object, kind = 'subjectaccessreviews'): Case => ({
  method: 'POST',
  path: `${REVIEW}/${kind}`,
  body: { spec },
})
const pods = (verb: string, namespace?: string) => ({
  resourceAttributes: { verb, resource: 'pods', ...(namespace !== undefined && { namespace }) },
})

const reviews: Case[] = [
  may({ user: 'pat', ...pods('list') }),
  may({ user: 'x', groups: ['a', 'pod-people'], ...pods('list', 'team-b') }),
  may({ user: 'pat', ...pods('delete') }),
  may({ user: 'pat', resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log' } }),
  may({
    user: 'nina',
    resourceAttributes: { verb: 'get', resource: 'namespaces', namespace: 'team-a', name: 'team-a' },
  }),
  may({
    user: 'system:serviceaccount:team-a:robot',
    resourceAttributes: { verb: 'get', resource: 'namespaces', namespace: 'team-a' },
  }),
  may({
    user: 'eve',
    resourceAttributes: { verb: 'create', resource: 'pods', subresource: 'eviction', namespace: 'team-a' },
  }),
  may({ user: 'lost', ...pods('list') }),
  may({ user: 'lost', ...pods('list', 'team-a') }),
  may({ user: 'x', groups: ['system:masters'], ...pods('list') }),
  may({ user: 'x', groups: ['system:authenticated'], nonResourceAttributes: { verb: 'get', path: '/api' } }),
  may({ user: 'x', groups: ['system:unauthenticated'], nonResourceAttributes: { verb: 'get', path: '/version' } }),
  may({ user: 'uri', nonResourceAttributes: { verb: 'get', path: '/debug/pprof' } }),
  may({ user: 'pat', resourceAttributes: { verb: '*', resource: '*', group: '*' } }),
  may({ user: 'gus', resourceAttributes: { verb: '*', resource: 'deployments', group: 'any' } }),
  may({ groups: ['pod-people'], ...pods('get') }),
  may({}),
  may({ user: 'x' }),
  may({ ...pods('get') }),
  may({ user: 'x', ...pods('get'), nonResourceAttributes: { verb: 'get', path: '/' } }),
  may({ user: 'pat', ...pods('get', 'team-a') }, 'namespaces/team-a/localsubjectaccessreviews'),
  may({ user: 'pat', ...pods('get', 'team-b') }, 'namespaces/team-a/localsubjectaccessreviews'),
  may(
    { user: 'pat', nonResourceAttributes: { verb: 'get', path: '/' } },
    'namespaces/team-a/localsubjectaccessreviews',
  ),
  may(pods('get'), 'selfsubjectaccessreviews'),
  { ...may(pods('get'), 'selfsubjectaccessreviews'), as: 'pat' },
  { ...may(pods('delete'), 'selfsubjectaccessreviews'), as: 'pat' },
  { ...may({}, 'selfsubjectaccessreviews'), as: 'pat' },
  { ...may({ user: 'pat', ...pods('get') }), as: 'pat' },
  { ...may({ namespace: 'team-a' }, 'selfsubjectrulesreviews'), as: 'nina' },
  { ...may({ namespace: 'team-a' }, 'selfsubjectrulesreviews'), as: 'mona' },
  { ...may({ namespace: 'team-b' }, 'selfsubjectrulesreviews'), as: 'uri' },
  may({ namespace: 'team-a' }, 'selfsubjectrulesreviews'),
  may({}, 'selfsubjectrulesreviews'),
]

const whoami = (headers: Record<string, string>, by?: string): Case => ({
  method: 'POST',
  path: WHOAMI,
  body: {},
  headers,
  ...(by !== undefined && { by }),
})
const listPods = (by: string, headers: Record<string, string>): Case => ({
  method: 'GET',
  path: `${CORE_A}/pods`,
  by,
  headers,
})
const AS_BOB = { 'impersonate-user': 'bob' }

const impersonations: Case[] = [
  whoami({}),
  whoami({}, 'none'),
  whoami({ ...AS_BOB, 'impersonate-uid': 'u1', 'impersonate-extra-Example.com%2FScopes': 'a' }),
  whoami({ 'impersonate-user': 'system:serviceaccount:team-a:robot' }),
  whoami({ 'impersonate-user': 'system:serviceaccount:team-a:robot', 'impersonate-group': 'g' }),
  whoami({ 'impersonate-user': 'system:anonymous' }),
  whoami({ 'impersonate-user': 'system:node:n1' }),
  whoami({ ...AS_BOB, 'impersonate-group': 'system:authenticated' }),
  whoami({ ...AS_BOB, 'impersonate-group': 'system:unauthenticated' }),
  whoami({ 'impersonate-group': 'a' }),
  whoami({ 'impersonate-uid': 'a' }),
  whoami({ 'impersonate-extra-x': 'a' }),
  listPods('none', AS_BOB),
  listPods('none', { ...AS_BOB, 'impersonate-group': 'g' }),
  listPods('none', { 'impersonate-user': 'system:serviceaccount:team-a:robot' }),
  listPods('none', { 'impersonate-user': 'system:node:n1' }),
  listPods('one-user', { 'impersonate-user': 'pat' }),
  listPods('one-user', AS_BOB),
  listPods('one-user', { ...AS_BOB, 'impersonate-group': 'g' }),
  listPods('one-user', { ...AS_BOB, 'impersonate-uid': 'u' }),
  listPods('one-user', { ...AS_BOB, 'impersonate-extra-foo': 'v' }),
  listPods('any-user', { 'impersonate-user': 'pat' }),
  listPods('any-user', { 'impersonate-user': 'x', 'impersonate-group': 'pod-people' }),
  listPods('any-user', { 'impersonate-user': 'pat', 'impersonate-uid': 'u', 'impersonate-extra-scopes': 'a' }),
  listPods('any-user', { 'impersonate-user': 'pat', 'impersonate-extra-other': 'a' }),
  listPods('any-user', { 'impersonate-user': 'system:serviceaccount:team-a:robot' }),
  listPods('any-user', { 'impersonate-user': 'x', 'impersonate-group': 'system:masters' }),
  listPods('constrained', { 'impersonate-user': 'pat' }),
  listPods('constrained', { 'impersonate-user': 'x', 'impersonate-group': 'pod-people' }),
  listPods('constrained', { 'impersonate-user': 'x', 'impersonate-group': 'system:masters' }),
  listPods('constrained', { 'impersonate-user': 'pat', 'impersonate-extra-example.com%2Fscopes': 'a' }),
  listPods('constrained', { 'impersonate-user': 'pat', 'impersonate-extra-scopes': 'a' }),
  listPods('constrained', { 'impersonate-user': 'system:serviceaccount:team-a:robot' }),
  { ...listPods('constrained', AS_BOB), path: '/api' },
  whoami(AS_BOB, 'constrained'),
]

const ask = (spec: object, metadata?: object, name = 'robot'): Case => ({
  method: 'POST',
  path: `${CORE_A}/serviceaccounts/${name}/token`,
  body: { spec, ...(metadata !== undefined && { metadata }) },
})
const bound = (kind: string, apiVersion = 'v1', extra = {}) => ({
  boundObjectRef: { kind, apiVersion, name: 'absent', ...extra },
})

const tokens: Case[] = [
  ask({}),
  ask({ expirationSeconds: 600, audiences: ['vault', 'other'] }),
  { ...ask({}), path: `${CORE_A}/serviceaccounts/robot/token${DRY}` },
  ask({ expirationSeconds: 599 }),
  ask({ expirationSeconds: 2 ** 32 }),
  ask({ expirationSeconds: 2 ** 32 + 1 }),
  ask({}, undefined, 'nobody'),
  ask({}, { name: 'other' }),
  ask({}, { namespace: 'other' }),
  ask({}, { name: 'robot', namespace: 'team-a' }),
  ask(bound('Pod')),
  ask(bound('Secret')),
  ask(bound('Node')),
  ask(bound('ConfigMap')),
  ask(bound('Deployment', 'apps/v1')),
  { method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews', body: { spec: {} } },
  { method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews', body: { spec: { token: 'a.b.c' } } },
  { method: 'POST', path: '/apis/authentication.k8s.io/v1/tokenreviews', body: { spec: { token: 'x' } } },
]

export const CASES: Readonly<Record<string, readonly Case[]>> = {
  reads,
  paths,
  writes,
  grants,
  reviews,
  impersonations,
  tokens,
}

/** Names a case in the record. */
export function titleOf({ method, path, body, as, groups = [], headers = {}, by }: Case): string {
  const who = [as ?? '', ...groups].filter((text) => text !== '')
  const sender = by === undefined ? 'admin' : (by ?? 'nobody')
  const said = Object.entries(headers).filter(([name]) => name !== 'content-type')
  const parts = [`${sender}${who.length > 0 ? ` as ${who.join(' ')}` : ''}`, `${method} ${path}`]
  if (said.length > 0) parts.push(JSON.stringify(Object.fromEntries(said)))
  if (body !== undefined) parts.push(JSON.stringify(body))
  return parts.join(' | ')
}

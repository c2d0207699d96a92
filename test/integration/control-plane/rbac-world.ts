/** The roles, bindings and accounts that the decisions of `rbac-cases.ts` are about. */

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
export const GROUP = 'rbac.authorization.k8s.io'

interface Rule {
  readonly verbs: string[]
  readonly apiGroups?: string[]
  readonly resources?: string[]
  readonly resourceNames?: string[]
  readonly nonResourceURLs?: string[]
}

export const on = (verbs: string, resources: string, group = '', resourceNames: string[] = []): Rule => ({
  verbs: verbs.split(','),
  apiGroups: group.split(','),
  resources: resources.split(','),
  ...(resourceNames.length > 0 && { resourceNames }),
})
const urls = (verbs: string, ...nonResourceURLs: string[]): Rule => ({ verbs: verbs.split(','), nonResourceURLs })

export const user = (name: string) => ({ kind: 'User', name, apiGroup: GROUP })
export const group = (name: string) => ({ kind: 'Group', name, apiGroup: GROUP })
export const account = (name: string, namespace?: string) => ({
  kind: 'ServiceAccount',
  name,
  ...(namespace !== undefined && { namespace }),
})

export interface Write {
  readonly path: string
  readonly body: object
}

const clusterRole = (name: string, rules: Rule[], extra: { labels?: Record<string, string> } = {}): Write => ({
  path: `${RBAC}/clusterroles`,
  body: { metadata: { name, ...extra }, rules },
})
const role = (namespace: string, name: string, rules: Rule[]): Write => ({
  path: `${RBAC}/namespaces/${namespace}/roles`,
  body: { metadata: { name }, rules },
})
export const roleRef = (kind: 'Role' | 'ClusterRole', name: string) => ({ apiGroup: GROUP, kind, name })
const everywhere = (name: string, ...subjects: object[]): Write => ({
  path: `${RBAC}/clusterrolebindings`,
  body: { metadata: { name }, roleRef: roleRef('ClusterRole', name), subjects },
})
const within = (namespace: string, ref: ReturnType<typeof roleRef>, ...subjects: object[]): Write => ({
  path: `${RBAC}/namespaces/${namespace}/rolebindings`,
  body: { metadata: { name: ref.name }, roleRef: ref, subjects },
})

const named = (path: string, name: string): Write => ({ path, body: { metadata: { name } } })

export const ACCOUNTS = ['none', 'one-user', 'any-user', 'constrained']

/** In this order. */
export const WORLD: readonly Write[] = [
  named('/api/v1/namespaces', 'team-a'),
  named('/api/v1/namespaces', 'team-b'),
  ...ACCOUNTS.map((name) => named('/api/v1/namespaces/team-a/serviceaccounts', name)),
  named('/api/v1/namespaces/team-a/serviceaccounts', 'robot'),
  named('/api/v1/namespaces/team-a/configmaps', 'one'),
  named('/api/v1/namespaces/team-a/configmaps', 'two'),

  clusterRole('pod-reader', [on('get,list,watch', 'pods,pods/log')]),
  everywhere('pod-reader', user('pat'), group('pod-people')),
  clusterRole('scaler', [on('get,update', '*/scale', 'apps')]),
  everywhere('scaler', user('scarlet')),
  clusterRole('part-star', [on('get', 'pods/*')]),
  everywhere('part-star', user('patty')),
  clusterRole('one-map', [on('get,list,watch,update,delete,deletecollection', 'configmaps', '', ['one'])]),
  everywhere('one-map', user('mona')),
  clusterRole('some-urls', [urls('get', '/metrics', '/debug/*', '/a/*/b')]),
  everywhere('some-urls', user('uri')),
  clusterRole('all-urls', [urls('*', '*')]),
  everywhere('all-urls', user('ursula')),
  clusterRole('any-group', [on('*', 'deployments', '*')]),
  everywhere('any-group', user('gus')),
  clusterRole('core-reader', [on('get,list', '*')]),
  everywhere('core-reader', user('cora')),
  clusterRole('part-one', [on('get', 'secrets')], { labels: { 'example.com/part': 'true' } }),
  clusterRole('part-two', [on('list', 'secrets'), on('get', 'secrets')], { labels: { 'example.com/part': 'true' } }),
  {
    path: `${RBAC}/clusterroles`,
    body: {
      metadata: { name: 'collected' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'example.com/part': 'true' } }] },
    },
  },
  everywhere('collected', user('colin')),
  clusterRole('evictor', [on('create', 'pods/eviction,serviceaccounts/token')]),
  within('team-a', roleRef('ClusterRole', 'evictor'), user('eve')),
  clusterRole('role-writer', [
    on('get,list,create,update,patch,delete', 'roles,rolebindings,clusterroles,clusterrolebindings', GROUP),
    on('get,list', 'pods'),
    urls('get', '/metrics'),
  ]),
  everywhere('role-writer', user('rita'), user('esther'), user('bindy')),
  clusterRole('escalator', [on('escalate', 'roles,clusterroles', GROUP)]),
  everywhere('escalator', user('esther')),
  clusterRole('binder', [on('bind', 'clusterroles', GROUP, ['pod-reader'])]),
  everywhere('binder', user('bindy')),
  clusterRole('changer', [
    on('get,update,patch', 'roles', GROUP),
    on('get,update,patch', 'leases', 'coordination.k8s.io'),
  ]),
  everywhere('changer', user('chandra')),
  everywhere('nowhere', user('lost')),
  within('team-a', roleRef('ClusterRole', 'view'), user('vi')),
  within('team-a', roleRef('ClusterRole', 'edit'), user('ed')),
  within('team-a', roleRef('ClusterRole', 'admin'), user('ada')),
  role('team-a', 'self-reader', [on('get', 'namespaces'), on('get,list', 'widgets', 'example.com')]),
  within(
    'team-a',
    roleRef('Role', 'self-reader'),
    user('nina'),
    account('robot'),
    group('system:serviceaccounts:team-b'),
  ),
  role('team-a', 'gone', [on('get', 'pods')]),
  within('team-a', roleRef('Role', 'missing'), user('lost'), user('nina')),

  clusterRole('one-user', [on('impersonate', 'users', '', ['bob'])]),
  everywhere('one-user', account('one-user', 'team-a')),
  clusterRole('any-user', [
    on('impersonate', 'users,groups,serviceaccounts'),
    on('impersonate', 'uids,userextras/scopes', 'authentication.k8s.io'),
  ]),
  everywhere('any-user', account('any-user', 'team-a')),
  clusterRole('constrained', [
    on('impersonate:user-info', 'users,groups,uids,userextras/example.com/scopes', 'authentication.k8s.io'),
    on('impersonate:serviceaccount', 'serviceaccounts', 'authentication.k8s.io'),
    on('impersonate-on:user-info:list,impersonate-on:serviceaccount:list', 'pods'),
    on('impersonate-on:user-info:create', 'selfsubjectreviews', 'authentication.k8s.io'),
  ]),
  everywhere('constrained', account('constrained', 'team-a')),
]

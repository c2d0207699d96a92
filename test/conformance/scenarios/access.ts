/** Who may do what: RBAC decisions by impersonation, reviews, tokens. */
import { del, get, mergePatch, post, type Scenario } from '../scenario.ts'
import { CONFIGMAPS, configMap } from './objects.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const ROLES = `${RBAC}/namespaces/{ns}/roles`
const BINDINGS = `${RBAC}/namespaces/{ns}/rolebindings`
const AUTHORIZATION = '/apis/authorization.k8s.io/v1'
const role = (name: string, rules: readonly object[]) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name },
  rules,
})
const binding = (name: string, subject: object, roleName: string, kind = 'Role') => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name },
  subjects: [subject],
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName },
})
const ann = { headers: { 'impersonate-user': 'ann' } }
const reader = { headers: { 'impersonate-user': 'bea', 'impersonate-group': 'readers' } }
const account = { headers: { 'impersonate-user': 'system:serviceaccount:{ns}:bot' } }
const review = (kind: string, spec: object) => ({ apiVersion: 'authorization.k8s.io/v1', kind, spec })

export const accessScenarios: readonly Scenario[] = [
  {
    name: 'rbac',
    steps: [
      get(CONFIGMAPS, ann),
      post(ROLES, role('reader', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }])),
      post(
        ROLES,
        role('one', [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['a'], verbs: ['update', 'patch'] }]),
      ),
      post(BINDINGS, binding('ann', { kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }, 'reader')),
      post(BINDINGS, binding('ann-one', { kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' }, 'one')),
      post(BINDINGS, binding('bot', { kind: 'ServiceAccount', name: 'bot', namespace: '{ns}' }, 'view', 'ClusterRole')),
      post(
        BINDINGS,
        binding('group', { kind: 'Group', name: 'readers', apiGroup: 'rbac.authorization.k8s.io' }, 'reader'),
      ),
      post(CONFIGMAPS, configMap('a')),
      get(CONFIGMAPS, { ...ann, until: 200 }),
      get(`${CONFIGMAPS}/a`, ann),
      post(CONFIGMAPS, configMap('b'), ann),
      mergePatch(`${CONFIGMAPS}/a`, { data: { by: 'ann' } }, { headers: ann.headers }),
      mergePatch(`${CONFIGMAPS}/b`, { data: {} }, ann),
      del(`${CONFIGMAPS}/a`, undefined, ann),
      get('/api/v1/configmaps', ann),
      get(CONFIGMAPS, { ...reader, pick: (body) => body.items.length }),
      get(CONFIGMAPS, { ...account, until: 200, pick: (body) => body.items.length }),
      get('/api/v1/namespaces/{ns}/secrets', account),
      get('/api/v1/namespaces/{ns}/pods/x/log', ann),
      get('/apis/apps/v1/namespaces/{ns}/deployments/d/scale', ann),
      get('/api/v1/nodes/n', ann),
      get('/metrics', ann),
      get('/version', { ...ann, pick: (body) => body.major }),
      get('/api', { ...ann, pick: (body) => body.kind }),
      post(ROLES, role('wider', [{ apiGroups: [''], resources: ['secrets'], verbs: ['*'] }]), ann),
      post(BINDINGS, binding('bad', { kind: 'Nobody', name: 'x' }, 'reader')),
      post(ROLES, role('bad', [{ apiGroups: [''], resources: ['pods'], verbs: [] }])),
      mergePatch(`${BINDINGS}/ann`, { roleRef: { name: 'one' } }),
    ],
  },
  {
    name: 'reviews',
    steps: [
      post(
        `${AUTHORIZATION}/selfsubjectaccessreviews`,
        review('SelfSubjectAccessReview', { resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' } }),
      ),
      post(
        `${AUTHORIZATION}/selfsubjectaccessreviews`,
        review('SelfSubjectAccessReview', { resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' } }),
        ann,
      ),
      post(
        `${AUTHORIZATION}/subjectaccessreviews`,
        review('SubjectAccessReview', {
          user: 'ann',
          resourceAttributes: { namespace: '{ns}', verb: 'get', resource: 'pods' },
        }),
      ),
      post(
        `${AUTHORIZATION}/subjectaccessreviews`,
        review('SubjectAccessReview', { user: 'ann', nonResourceAttributes: { path: '/version', verb: 'get' } }),
      ),
      post(`${AUTHORIZATION}/subjectaccessreviews`, review('SubjectAccessReview', { user: 'ann' })),
      post(
        `${AUTHORIZATION}/namespaces/{ns}/localsubjectaccessreviews`,
        review('LocalSubjectAccessReview', {
          user: 'ann',
          resourceAttributes: { namespace: 'other', verb: 'get', resource: 'pods' },
        }),
      ),
      post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        ann,
      ),
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'nonsense' },
      }),
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: {},
      }),
    ],
  },
]

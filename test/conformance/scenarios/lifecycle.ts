/** How objects end: finalizers, graceful deletion, owners, namespaces, budgets. */
import { del, get, jsonPatch, mergePatch, post, put, type Scenario } from '../scenario.ts'
import { CONFIGMAPS, configMap, DEPLOYMENTS, deployment, PODS, pod } from './objects.ts'

const BUDGETS = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets'
const owned = (name: string, owner: string, extra: object = {}) =>
  configMap(
    name,
    {},
    { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: `{${owner}}`, ...extra }] },
  )
const eviction = (name: string, options: object = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: '{ns}' },
  ...options,
})
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }

export const lifecycleScenarios: readonly Scenario[] = [
  {
    name: 'finalizers',
    steps: [
      post(CONFIGMAPS, configMap('a', {}, { finalizers: ['example.com/one', 'example.com/two'] })),
      del(`${CONFIGMAPS}/a`),
      del(`${CONFIGMAPS}/a`),
      get(`${CONFIGMAPS}/a`),
      mergePatch(`${CONFIGMAPS}/a`, {
        metadata: { finalizers: ['example.com/one', 'example.com/two', 'example.com/new'] },
      }),
      post(CONFIGMAPS, configMap('a')),
      mergePatch(`${CONFIGMAPS}/a`, { metadata: { deletionTimestamp: null } }),
      mergePatch(`${CONFIGMAPS}/a`, { data: { still: 'writable' } }),
      jsonPatch(`${CONFIGMAPS}/a`, [{ op: 'remove', path: '/metadata/finalizers/0' }]),
      mergePatch(`${CONFIGMAPS}/a`, { metadata: { finalizers: null } }),
      get(`${CONFIGMAPS}/a`),
    ],
  },
  {
    name: 'graceful-deletion',
    steps: [
      post(PODS, pod('pending')),
      del(`${PODS}/pending`),
      get(`${PODS}/pending`),
      post(PODS, pod('bound', {}, { nodeName: 'n1' })),
      del(`${PODS}/bound`),
      get(`${PODS}/bound`),
      del(`${PODS}/bound`, { gracePeriodSeconds: 5 }),
      del(`${PODS}/bound`, { gracePeriodSeconds: 60 }),
      del(`${PODS}/bound?gracePeriodSeconds=0`),
      get(`${PODS}/bound`),
      post(PODS, pod('short', {}, { nodeName: 'n1', terminationGracePeriodSeconds: 0 })),
      del(`${PODS}/short`),
      post(PODS, pod('negative', {}, { nodeName: 'n1' })),
      del(`${PODS}/negative`, { gracePeriodSeconds: -1 }),
      del(`${PODS}/missing`, { propagationPolicy: 'Nonsense' }),
      del(`${PODS}/missing`, { orphanDependents: true, propagationPolicy: 'Orphan' }),
    ],
  },
  {
    name: 'owners',
    steps: [
      post(CONFIGMAPS, configMap('top'), { save: { top: 'metadata.uid' } }),
      post(CONFIGMAPS, owned('child', 'top')),
      del(`${CONFIGMAPS}/top`, { propagationPolicy: 'Background' }),
      get(`${CONFIGMAPS}/child`, { until: 404 }),
      post(CONFIGMAPS, configMap('front'), { save: { front: 'metadata.uid' } }),
      post(CONFIGMAPS, owned('blocker', 'front', { blockOwnerDeletion: true })),
      del(`${CONFIGMAPS}/front`, { propagationPolicy: 'Foreground' }),
      get(`${CONFIGMAPS}/front`, { until: 404 }),
      get(`${CONFIGMAPS}/blocker`),
      post(CONFIGMAPS, configMap('left'), { save: { left: 'metadata.uid' } }),
      post(CONFIGMAPS, owned('orphan', 'left')),
      del(`${CONFIGMAPS}/left`, { propagationPolicy: 'Orphan' }),
      get(`${CONFIGMAPS}/left`, { until: 404 }),
      get(`${CONFIGMAPS}/orphan`, { untilValue: ['metadata.ownerReferences', undefined] }),
      post(
        CONFIGMAPS,
        configMap(
          'two',
          {},
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u1', controller: true },
              { apiVersion: 'v1', kind: 'ConfigMap', name: 'y', uid: 'u2', controller: true },
            ],
          },
        ),
      ),
    ],
  },
  {
    name: 'namespace-end',
    needsNamespace: false,
    steps: [
      post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'c-end' } }),
      post('/api/v1/namespaces/c-end/configmaps', configMap('held', {}, { finalizers: ['example.com/hold'] })),
      post('/api/v1/namespaces/c-end/configmaps', configMap('free')),
      del('/api/v1/namespaces/c-end'),
      get('/api/v1/namespaces/c-end/configmaps/free', { until: 404 }),
      post('/api/v1/namespaces/c-end/configmaps', configMap('late')),
      get('/api/v1/namespaces/c-end', { untilValue: ['status.conditions.4.type', 'NamespaceFinalizersRemaining'] }),
      mergePatch('/api/v1/namespaces/c-end/configmaps/held', { metadata: { finalizers: null } }),
      get('/api/v1/namespaces/c-end', { until: 404 }),
      get('/api/v1/namespaces/c-end/configmaps'),
      del('/api/v1/namespaces/kube-system', undefined),
      del('/api/v1/namespaces/default'),
      post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'Bad_Name' } }),
    ],
  },
  {
    name: 'eviction',
    steps: [
      post(PODS, pod('a', { labels: { app: 'x' } }, { nodeName: 'n1' })),
      post(PODS, pod('b', { labels: { app: 'x' } }, { nodeName: 'n1' })),
      post(PODS, pod('free', { labels: { app: 'y' } })),
      mergePatch(`${PODS}/a/status`, { status: ready }),
      mergePatch(`${PODS}/b/status`, { status: ready }),
      post(BUDGETS, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'pdb' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      }),
      post(`${PODS}/a/eviction`, eviction('a')),
      mergePatch(`${BUDGETS}/pdb/status`, {
        status: { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
      }),
      post(`${PODS}/a/eviction?dryRun=All`, eviction('a')),
      post(`${PODS}/a/eviction`, eviction('a')),
      get(`${PODS}/a`),
      get(`${BUDGETS}/pdb`),
      post(`${PODS}/b/eviction`, eviction('b')),
      post(`${PODS}/free/eviction`, eviction('free')),
      get(`${PODS}/free`),
      post(`${PODS}/missing/eviction`, eviction('missing')),
      post(`${PODS}/b/eviction`, eviction('other')),
      post(`${PODS}/b/eviction`, { ...eviction('b'), apiVersion: 'policy/v1beta1' }),
    ],
  },
  {
    name: 'bindings',
    steps: [
      post(PODS, pod('a')),
      post(`${PODS}/a/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
      }),
      get(`${PODS}/a`),
      post(`${PODS}/a/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'a' },
        target: { kind: 'Node', name: 'n2' },
      }),
      post(`${PODS}/missing/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'missing' },
        target: { kind: 'Node', name: 'n2' },
      }),
      post(PODS, pod('b')),
      post(`${PODS}/b/binding`, {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'b' },
        target: { kind: 'Node', name: '' },
      }),
      mergePatch(`${PODS}/a`, { spec: { nodeName: 'n3' } }),
    ],
  },
  {
    name: 'status-and-scale',
    steps: [
      post(DEPLOYMENTS, { ...deployment('d'), status: { replicas: 9 } }),
      mergePatch(`${DEPLOYMENTS}/d`, { status: { replicas: 9 } }),
      mergePatch(`${DEPLOYMENTS}/d/status`, { status: { replicas: 3, observedGeneration: 1 }, spec: { replicas: 9 } }),
      get(`${DEPLOYMENTS}/d/scale`),
      mergePatch(`${DEPLOYMENTS}/d/scale`, { spec: { replicas: 5 } }),
      put(`${DEPLOYMENTS}/d/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd' },
        spec: { replicas: 6 },
      }),
      put(`${DEPLOYMENTS}/d/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd' },
        spec: { replicas: -1 },
      }),
      put(`${DEPLOYMENTS}/d/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd', resourceVersion: '1' },
        spec: { replicas: 1 },
      }),
      get(`${DEPLOYMENTS}/missing/scale`),
      get(`${DEPLOYMENTS}/d`),
      get(`${DEPLOYMENTS}/d/nothing`),
      mergePatch(`${DEPLOYMENTS}/d`, { spec: { selector: { matchLabels: { app: 'e' } } } }),
      mergePatch(`${DEPLOYMENTS}/d`, { spec: { replicas: null } }),
    ],
  },
]

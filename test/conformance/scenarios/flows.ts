/** What kubectl, leader election and controllers do all day, one request after the other. */
import {
  applyPatch,
  del,
  get,
  jsonPatch,
  mergePatch,
  post,
  put,
  type Scenario,
  strategicPatch,
  TABLE,
} from '../scenario.ts'
import { CONFIGMAPS, configMap, DEPLOYMENTS, deployment, PODS, pod } from './objects.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases'
const EVENTS = '/api/v1/namespaces/{ns}/events'
const lease = (holder: string, metadata: object = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'leader', ...metadata },
  spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime: '2020-01-01T00:00:00.000000Z' },
})
const event = (name: string, involved: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name },
  involvedObject: { apiVersion: 'v1', kind: 'Pod', name: involved, namespace: '{ns}', uid: 'u-1' },
  reason: 'Seen',
  message: 'seen',
  type: 'Normal',
  count: 1,
  firstTimestamp: '2020-01-01T00:00:00Z',
  lastTimestamp: '2020-01-01T00:00:00Z',
})
const LAST = 'kubectl.kubernetes.io/last-applied-configuration'
const small = {
  pick: (body: { metadata: { generation: number }; spec: unknown }) => [body.metadata.generation, body.spec],
}

export const flowScenarios: readonly Scenario[] = [
  {
    name: 'kubectl-flows',
    steps: [
      post(`${DEPLOYMENTS}?fieldManager=kubectl-client-side-apply&fieldValidation=Strict`, {
        ...deployment('d'),
        metadata: { name: 'd', annotations: { [LAST]: '{}\n' } },
      }),
      strategicPatch(`${DEPLOYMENTS}/d?fieldManager=kubectl-client-side-apply&fieldValidation=Strict`, {
        metadata: { annotations: { [LAST]: '{"a":1}\n' } },
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'main' }, { name: 'side' }],
              containers: [{ name: 'side', image: 's:1' }],
            },
          },
        },
      }),
      strategicPatch(
        `${DEPLOYMENTS}/d?fieldManager=kubectl-rollout`,
        { spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': 'now' } } } } },
        small,
      ),
      strategicPatch(
        `${DEPLOYMENTS}/d?fieldManager=kubectl-set`,
        {
          spec: {
            template: {
              spec: { '$setElementOrder/containers': [{ name: 'main' }], containers: [{ name: 'main', image: 'new' }] },
            },
          },
        },
        small,
      ),
      mergePatch(`${DEPLOYMENTS}/d/scale`, { spec: { replicas: 0 } }),
      mergePatch(`${DEPLOYMENTS}/d?fieldManager=kubectl-label`, { metadata: { labels: { a: 'b', app: null } } }, small),
      jsonPatch(`${DEPLOYMENTS}/d`, [{ op: 'replace', path: '/spec/paused', value: true }], small),
      jsonPatch(`${DEPLOYMENTS}/d`, [{ op: 'add', path: '/spec/paused', value: true }], small),
      get(`${DEPLOYMENTS}?labelSelector=a%3Db`, { headers: { accept: TABLE } }),
      post(PODS, pod('p'), { pick: () => undefined }),
      del(
        `${PODS}/p`,
        { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
        { pick: () => undefined },
      ),
      get(`${PODS}/p`),
      del(`${DEPLOYMENTS}/d`, { propagationPolicy: 'Foreground' }, { pick: () => undefined }),
      get(`${DEPLOYMENTS}/d`, { until: 404 }),
      applyPatch(`${CONFIGMAPS}/c?fieldManager=kubectl&force=true&dryRun=All`, configMap('c', { a: '1' })),
      get(`${CONFIGMAPS}/c`),
    ],
  },
  {
    name: 'leader-election',
    steps: [
      get(`${LEASES}/leader`),
      post(LEASES, lease('one'), { save: { rv: 'metadata.resourceVersion' } }),
      post(LEASES, lease('two')),
      put(`${LEASES}/leader`, lease('one', { resourceVersion: '{rv}' }), {
        save: { next: 'metadata.resourceVersion' },
      }),
      put(`${LEASES}/leader`, lease('two', { resourceVersion: '{rv}' }), {
        save: { later: 'metadata.resourceVersion' },
      }),
      put(`${LEASES}/leader`, lease('two')),
      put(`${LEASES}/other`, { ...lease('three'), metadata: { name: 'other' } }),
      mergePatch(`${LEASES}/leader`, { metadata: { resourceVersion: '{rv}' }, spec: { holderIdentity: 'three' } }),
      get(LEASES, { headers: { accept: TABLE } }),
    ],
  },
  {
    name: 'event-records',
    steps: [
      post(EVENTS, event('a.1', 'a')),
      post(EVENTS, event('b.1', 'b')),
      post(EVENTS, { ...event('c.1', 'c'), involvedObject: { kind: 'Pod', name: 'c', namespace: 'other' } }),
      mergePatch(`${EVENTS}/a.1`, { count: 2, lastTimestamp: '2020-01-01T00:01:00Z' }),
      get(
        `${EVENTS}?fieldSelector=involvedObject.name%3Da,involvedObject.namespace%3D{ns},involvedObject.kind%3DPod,involvedObject.uid%3Du-1`,
      ),
      get(`${EVENTS}?fieldSelector=type%3DWarning`),
      get(`/apis/events.k8s.io/v1/namespaces/{ns}/events?fieldSelector=regarding.name%3Db`),
      del(`${EVENTS}/a.1`),
    ],
  },
]

/** What the server does to and demands of its own kinds. */
import { get, mergePatch, post, put, type Scenario, strategicPatch } from '../scenario.ts'
import { CONFIGMAPS, DEPLOYMENTS, deployment, PODS, pod, SERVICES } from './objects.ts'

const service = (name: string, spec: object) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec })
const HPAS = '/namespaces/{ns}/horizontalpodautoscalers'
const NODES = '/api/v1/nodes'

export const builtinScenarios: readonly Scenario[] = [
  {
    name: 'pods',
    steps: [
      post(PODS, pod('plain')),
      post(PODS, pod('bad', {}, { containers: [] })),
      post(PODS, pod('bad', {}, { containers: [{ name: 'UP', image: '' }] })),
      post(
        PODS,
        pod(
          'bad',
          {},
          {
            containers: [
              { name: 'a', image: 'x' },
              { name: 'a', image: 'x' },
            ],
          },
        ),
      ),
      post(PODS, pod('bad', {}, { restartPolicy: 'Sometimes', dnsPolicy: 'None' })),
      post(
        PODS,
        pod(
          'bad',
          {},
          { containers: [{ name: 'a', image: 'x', resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }] },
        ),
      ),
      post(PODS, pod('bad', {}, { containers: [{ name: 'a', image: 'x', resources: { requests: { cpu: 'lots' } } }] })),
      post(
        PODS,
        pod('bad', {}, { containers: [{ name: 'a', image: 'x', volumeMounts: [{ name: 'v', mountPath: '/v' }] }] }),
      ),
      post(
        PODS,
        pod(
          'sized',
          {},
          { containers: [{ name: 'a', image: 'x:latest', resources: { limits: { cpu: '1000m', memory: '1024Mi' } } }] },
        ),
      ),
      mergePatch(`${PODS}/plain`, { spec: { containers: [{ name: 'main', image: 'other' }] } }),
      strategicPatch(`${PODS}/plain`, { spec: { containers: [{ name: 'main', image: 'other' }] } }),
      strategicPatch(`${PODS}/plain`, { spec: { containers: [{ name: 'side', image: 'other' }] } }),
      strategicPatch(`${PODS}/plain`, { spec: { tolerations: [{ key: 'k', operator: 'Exists' }] } }),
      get(`${PODS}/plain/log`),
    ],
  },
  {
    name: 'deployments',
    steps: [
      post(DEPLOYMENTS, deployment('d')),
      post(DEPLOYMENTS, deployment('bad', { selector: { matchLabels: { app: 'else' } } })),
      post(DEPLOYMENTS, deployment('bad', { replicas: -1 })),
      post(DEPLOYMENTS, deployment('bad', { selector: {} })),
      post(DEPLOYMENTS, deployment('bad', { strategy: { type: 'Recreate', rollingUpdate: {} } })),
      strategicPatch(`${DEPLOYMENTS}/d`, {
        spec: { template: { spec: { containers: [{ name: 'main', env: [{ name: 'A', value: '1' }] }] } } },
      }),
      strategicPatch(`${DEPLOYMENTS}/d`, {
        spec: {
          template: { spec: { containers: [{ name: 'main', ports: [{ containerPort: 80, $patch: 'delete' }] }] } },
        },
      }),
      strategicPatch(`${DEPLOYMENTS}/d`, { spec: { template: { spec: { $setElementOrder: 1 } } } }),
      put(`${DEPLOYMENTS}/d`, deployment('d')),
    ],
  },
  {
    name: 'services',
    steps: [
      post(SERVICES, service('a', { selector: { app: 'x' }, ports: [{ port: 80 }] })),
      post(SERVICES, service('np', { type: 'NodePort', ports: [{ port: 80 }, { port: 81, name: 'b' }] })),
      post(SERVICES, service('np2', { type: 'NodePort', ports: [{ port: 80 }] })),
      post(SERVICES, service('headless', { clusterIP: 'None', selector: { app: 'x' } })),
      post(SERVICES, service('ext', { type: 'ExternalName', externalName: 'example.com' })),
      post(SERVICES, service('bad', { ports: [] })),
      post(SERVICES, service('bad', { ports: [{ port: 0 }] })),
      post(SERVICES, service('bad', { ports: [{ port: 80 }, { port: 81 }] })),
      mergePatch(`${SERVICES}/a`, { spec: { clusterIP: '10.0.0.99' } }),
      mergePatch(`${SERVICES}/a`, { spec: { type: 'NodePort' } }),
      mergePatch(`${SERVICES}/a`, { spec: { type: 'ClusterIP' } }),
    ],
  },
  {
    name: 'other-kinds',
    steps: [
      post(`/apis/autoscaling/v2${HPAS}`, {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'h' },
        spec: {
          scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
          maxReplicas: 3,
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
          ],
        },
      }),
      get(`/apis/autoscaling/v1${HPAS}/h`),
      post(`/apis/autoscaling/v1${HPAS}`, {
        apiVersion: 'autoscaling/v1',
        kind: 'HorizontalPodAutoscaler',
        metadata: { name: 'i' },
        spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 2 },
      }),
      get(`/apis/autoscaling/v2${HPAS}/i`),
      post(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'c-node' } }),
      mergePatch(`${NODES}/c-node`, { spec: { unschedulable: true } }, { pick: (node) => node.spec.unschedulable }),
      mergePatch(
        `${NODES}/c-node/status`,
        {
          status: { conditions: [{ type: 'Ready', status: 'True' }], capacity: { cpu: '2', pods: '10' } },
        },
        { pick: (node) => node.status },
      ),
      post('/api/v1/namespaces/{ns}/serviceaccounts', {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'sa' },
      }),
      post('/api/v1/namespaces/{ns}/secrets', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 's' },
        stringData: { a: 'b' },
      }),
      post('/api/v1/namespaces/{ns}/secrets', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 't' },
        type: 'kubernetes.io/tls',
        data: {},
      }),
      post('/api/v1/namespaces/{ns}/secrets', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'u' },
        data: { a: 'not base64!' },
      }),
      mergePatch('/api/v1/namespaces/{ns}/secrets/s', { type: 'Other' }),
      post('/apis/batch/v1/namespaces/{ns}/jobs', {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'j' },
        spec: { template: { spec: { containers: [{ name: 'a', image: 'x' }], restartPolicy: 'Never' } } },
      }),
      post('/apis/batch/v1/namespaces/{ns}/cronjobs', {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: 'c' },
        spec: {
          schedule: 'whenever',
          jobTemplate: {
            spec: { template: { spec: { containers: [{ name: 'a', image: 'x' }], restartPolicy: 'Never' } } },
          },
        },
      }),
      post('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l' },
        spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
      }),
      post('/apis/coordination.k8s.io/v1/namespaces/{ns}/leases', {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'm' },
        spec: { leaseDurationSeconds: 0 },
      }),
      post('/api/v1/namespaces/{ns}/podtemplates', {
        apiVersion: 'v1',
        kind: 'PodTemplate',
        metadata: { name: 'p' },
        template: { spec: { containers: [{ name: 'a', image: 'x' }] } },
      }),
      post('/apis/resource.k8s.io/v1/deviceclasses', {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'DeviceClass',
        metadata: { name: 'c-class.example.com' },
        spec: {},
      }),
      post('/api/v1/namespaces/{ns}/events', {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'p', namespace: '{ns}' },
        reason: 'Tested',
        type: 'Normal',
      }),
      get('/apis/events.k8s.io/v1/namespaces/{ns}/events/e'),
      post('/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses', {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'i' },
        spec: {},
      }),
      post('/apis/scheduling.k8s.io/v1/priorityclasses', {
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: 'c-prio' },
        value: 7,
      }),
      post(PODS, pod('prio', {}, { priorityClassName: 'c-prio' })),
      post(PODS, pod('noprio', {}, { priorityClassName: 'c-none' })),
      post(CONFIGMAPS, {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'empty', labels: {}, annotations: {}, finalizers: [] },
        data: {},
      }),
      post('/apis/apps/v1/namespaces/{ns}/statefulsets', {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: { name: 's' },
        spec: {
          serviceName: 's',
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'x' }] } },
        },
      }),
      post('/apis/apps/v1/namespaces/{ns}/daemonsets', {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 's' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'x' }] } },
        },
      }),
    ],
  },
]

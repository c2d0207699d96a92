/** Applies, and writes between them, of Deployments, Services, Pods and Secrets. */

import { containersOf, deployment, manyContainers, part, pod, service } from './apply-objects.ts'
import {
  apply,
  type Case,
  create,
  DEPLOYMENTS,
  force,
  jsonPatch,
  merge,
  PODS,
  SECRETS,
  SERVICES,
  strategic,
} from './apply-steps.ts'

const TIME = '2026-01-01T00:00:00Z'

const SCALE = { subresource: 'scale' }
const scale = (name: string, spec: object) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name },
  spec,
})

export const WORKLOAD_CASES: readonly Case[] = [
  {
    name: 'a Deployment is owned field by field, its selector as a whole',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-1', { replicas: 2 })),
      create(DEPLOYMENTS, 'creator', deployment('dep-1b', { replicas: 2 }, { ports: [{ containerPort: 80 }] })),
    ],
  },
  {
    name: 'replicas left out are given up to who scales',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-2', { replicas: 2 })),
      apply(DEPLOYMENTS, 'scaler', part('dep-2', { replicas: 2 })),
      apply(DEPLOYMENTS, 'a', deployment('dep-2')),
      apply(DEPLOYMENTS, 'scaler', part('dep-2', { replicas: 5 })),
    ],
  },
  {
    name: 'replicas that nobody applies any more go back to their default',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-3', { replicas: 3 })),
      apply(DEPLOYMENTS, 'a', deployment('dep-3')),
    ],
  },
  {
    name: 'the scale endpoint owns replicas as a part of its own',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-4', { replicas: 3 })),
      merge(`${DEPLOYMENTS}/dep-4/scale`, 'scaler', { spec: { replicas: 4 } }),
      apply(DEPLOYMENTS, 'a', deployment('dep-4', { replicas: 3 })),
      force(DEPLOYMENTS, 'a', deployment('dep-4', { replicas: 3 })),
    ],
  },
  {
    name: 'an apply through the scale endpoint owns replicas, meets conflicts, takes over, and lets go',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-s1', { replicas: 3 })),
      apply(DEPLOYMENTS, 'scaler', scale('dep-s1', { replicas: 4 }), SCALE),
      apply(DEPLOYMENTS, 'scaler', scale('dep-s1', { replicas: 3 }), SCALE),
      force(DEPLOYMENTS, 'scaler', scale('dep-s1', { replicas: 4 }), SCALE),
      merge(`${DEPLOYMENTS}/dep-s1`, 'look', {}),
      apply(DEPLOYMENTS, 'a', deployment('dep-s1', { replicas: 3 })),
      apply(DEPLOYMENTS, 'a', deployment('dep-s1')),
      apply(DEPLOYMENTS, 'scaler', scale('dep-s1', { replicas: 5 }), SCALE),
      merge(`${DEPLOYMENTS}/dep-s1/scale`, 'hand', { spec: { replicas: 6 } }),
      apply(DEPLOYMENTS, 'scaler', scale('dep-s1', { replicas: 5 }), SCALE),
      merge(`${DEPLOYMENTS}/dep-s1`, 'look', {}),
    ],
  },
  {
    name: 'an apply through the scale endpoint is refused when it is not a Scale of what is there',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-s2', { replicas: 3 })),
      apply(DEPLOYMENTS, 'scaler', deployment('dep-s2', { replicas: 3 }), SCALE),
      apply(DEPLOYMENTS, '', scale('dep-s2', { replicas: 4 }), SCALE),
      apply(DEPLOYMENTS, 'scaler', scale('none', { replicas: 4 }), SCALE),
      force(DEPLOYMENTS, 'scaler', scale('dep-s2', { replicas: -1 }), SCALE),
      force(DEPLOYMENTS, 'scaler', scale('dep-s2', { replicas: 'x' }), SCALE),
      force(DEPLOYMENTS, 'scaler', scale('dep-s2', { unknown: 1 }), SCALE),
      apply(DEPLOYMENTS, 'scaler', scale('dep-s2', {}), SCALE),
      merge(`${DEPLOYMENTS}/dep-s2`, 'look', {}),
    ],
  },
  {
    name: 'containers are a map by name: a second manager adds one, and takes it away again',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-5')),
      apply(DEPLOYMENTS, 'mesh', containersOf('dep-5', [{ name: 'proxy', image: 'example.com/proxy:1' }])),
      apply(DEPLOYMENTS, 'a', deployment('dep-5', {}, { image: 'example.com/main:2' })),
      apply(DEPLOYMENTS, 'mesh', containersOf('dep-5', [{ name: 'late', image: 'x' }, { name: 'main' }])),
      apply(DEPLOYMENTS, 'mesh', part('dep-5', {})),
    ],
  },
  {
    name: 'the order of containers follows who applies',
    steps: [
      apply(DEPLOYMENTS, 'a', manyContainers('dep-6', ['one', 'two', 'three'])),
      apply(DEPLOYMENTS, 'a', manyContainers('dep-6', ['three', 'new', 'one'])),
      apply(
        DEPLOYMENTS,
        'b',
        containersOf('dep-6', [
          { name: 'four', image: 'x' },
          { name: 'one', image: 'x' },
        ]),
      ),
      force(
        DEPLOYMENTS,
        'c',
        containersOf('dep-6', [
          { name: 'one', image: 'y' },
          { name: 'three', image: 'y' },
        ]),
      ),
    ],
  },
  {
    name: 'env, ports and volumes merge by their keys; args and commands are atomic',
    steps: [
      apply(
        DEPLOYMENTS,
        'a',
        deployment(
          'dep-7',
          {},
          {
            env: [{ name: 'A', value: '1' }],
            ports: [{ containerPort: 80 }, { containerPort: 80, protocol: 'UDP' }],
            args: ['x', 'y'],
            resources: { limits: { cpu: '1000m' } },
          },
        ),
      ),
      apply(
        DEPLOYMENTS,
        'b',
        containersOf('dep-7', [
          { name: 'main', env: [{ name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }], args: ['z'] },
        ]),
      ),
      force(
        DEPLOYMENTS,
        'b',
        containersOf('dep-7', [
          {
            name: 'main',
            args: ['z'],
            resources: { limits: { cpu: '1', memory: '1024Mi' } },
            ports: [{ containerPort: 81 }],
          },
        ]),
      ),
      apply(DEPLOYMENTS, 'b', part('dep-7', { template: { spec: { volumes: [{ name: 'v', emptyDir: {} }] } } })),
    ],
  },
  {
    name: 'a quantity that is written otherwise is another value',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-8', {}, { resources: { requests: { cpu: '1000m' } } })),
      apply(DEPLOYMENTS, 'a', deployment('dep-8', {}, { resources: { requests: { cpu: '1000m' } } })),
      apply(DEPLOYMENTS, 'b', containersOf('dep-8', [{ name: 'main', resources: { requests: { cpu: '1000m' } } }])),
    ],
  },
  {
    name: 'a strategic merge patch owns what it changes',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-9')),
      strategic(`${DEPLOYMENTS}/dep-9`, 'set', {
        spec: { template: { spec: { containers: [{ name: 'main', image: 'example.com/main:9' }] } } },
      }),
      apply(DEPLOYMENTS, 'a', deployment('dep-9')),
      jsonPatch(`${DEPLOYMENTS}/dep-9`, 'set', [{ op: 'remove', path: '/metadata/labels' }]),
    ],
  },
  {
    name: 'the status endpoint has owners of its own',
    steps: [
      apply(DEPLOYMENTS, 'a', { ...deployment('dep-10'), status: { replicas: 7 } }),
      merge(`${DEPLOYMENTS}/dep-10/status`, 'controller', { status: { replicas: 1 }, spec: { replicas: 9 } }),
      apply(
        DEPLOYMENTS,
        'controller',
        {
          ...part('dep-10', { replicas: 4 }),
          status: {
            conditions: [{ type: 'Available', status: 'True', lastUpdateTime: TIME, lastTransitionTime: TIME }],
          },
        },
        { subresource: 'status' },
      ),
      apply(DEPLOYMENTS, 'a', deployment('dep-10')),
    ],
  },
  {
    name: 'a change of the strategy drops what belonged to the old one',
    steps: [
      apply(DEPLOYMENTS, 'a', deployment('dep-11', { strategy: { rollingUpdate: { maxSurge: 1 } } })),
      apply(DEPLOYMENTS, 'a', deployment('dep-11', { strategy: { type: 'Recreate' } })),
      apply(DEPLOYMENTS, 'a', deployment('dep-11', { strategy: { type: 'Recreate', rollingUpdate: null } })),
    ],
  },
  {
    name: 'ports of a Service are a map by port and protocol',
    steps: [
      apply(SERVICES, 'a', service('svc-1', [{ port: 80, name: 'web' }])),
      apply(SERVICES, 'b', service('svc-1', [{ port: 81, name: 'more' }])),
      apply(SERVICES, 'b', service('svc-1', [{ port: 80, protocol: 'UDP', name: 'udp' }])),
      apply(SERVICES, 'c', { ...service('svc-1', []), spec: { selector: { app: 'other' } } }),
      force(SERVICES, 'c', { ...service('svc-1', []), spec: { selector: { other: 'x' } } }),
      create(SERVICES, 'creator', service('svc-1b', [{ port: 80, nodePort: 30999 }], { type: 'NodePort' })),
      merge(`${SERVICES}/svc-1b`, 'editor', { spec: { type: 'ClusterIP', sessionAffinity: 'ClientIP' } }),
    ],
  },
  {
    name: "what the server adds to a Pod on its own is nobody's",
    steps: [
      create(PODS, 'creator', pod('pod-1', { volumes: [{ name: 'v', emptyDir: {} }] })),
      apply(PODS, 'a', pod('pod-2', { tolerations: [{ key: 'k', operator: 'Exists' }] })),
      merge(`${PODS}/pod-2/status`, 'kubelet', {
        status: { phase: 'Running', podIP: '10.1.1.1', podIPs: [{ ip: '10.1.1.1' }] },
      }),
      apply(PODS, 'a', {
        ...pod('pod-2', { tolerations: [{ key: 'k', operator: 'Exists' }] }),
        metadata: { name: 'pod-2', labels: { l: '1' } },
      }),
    ],
  },
  {
    name: 'texts of a Secret are owned as they were sent',
    steps: [
      create(SECRETS, 'creator', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'sec-1' },
        stringData: { x: 'y' },
      }),
      apply(SECRETS, 'a', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'sec-2' },
        data: { x: 'eQ==' },
        type: 'Opaque',
      }),
    ],
  },
]

/** Server-side apply: who owns what, conflicts, force, removal. */
import { applyPatch, get, mergePatch, post, type Scenario } from '../scenario.ts'
import { CONFIGMAPS, CRDS, configMap, crd, crdVersion, DEPLOYMENTS, deployment } from './objects.ts'

const A = '?fieldManager=alpha'
const B = '?fieldManager=beta'
const G = 'apply.example.com'
const THINGS = `/apis/${G}/v1/namespaces/{ns}/things`

export const applyScenarios: readonly Scenario[] = [
  {
    name: 'apply',
    showsManagedFields: true,
    steps: [
      applyPatch(`${CONFIGMAPS}/a`, configMap('a', { x: '1' })),
      applyPatch(`${CONFIGMAPS}/a${A}`, configMap('a', { x: '1', y: '1' })),
      applyPatch(`${CONFIGMAPS}/a${A}`, configMap('a', { x: '1', y: '1' })),
      applyPatch(`${CONFIGMAPS}/a${B}`, configMap('a', { x: '2' })),
      applyPatch(`${CONFIGMAPS}/a${B}&force=true`, configMap('a', { x: '2' })),
      applyPatch(`${CONFIGMAPS}/a${A}`, configMap('a', { y: '1' })),
      applyPatch(`${CONFIGMAPS}/a${A}`, configMap('a', {})),
      applyPatch(
        `${CONFIGMAPS}/a${B}`,
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: "2", z: "3"}\n',
      ),
      mergePatch(`${CONFIGMAPS}/a?fieldManager=gamma`, { data: { x: '9' } }),
      applyPatch(`${CONFIGMAPS}/a${B}`, configMap('a', { x: '2' })),
      applyPatch(`${CONFIGMAPS}/a${B}`, configMap('b', {})),
      applyPatch(`${CONFIGMAPS}/a${B}`, { metadata: { name: 'a' } }),
      applyPatch(`${CONFIGMAPS}/a${B}`, '{'),
      applyPatch(`${CONFIGMAPS}/a${B}`, configMap('a', {}, { managedFields: [{ manager: 'x' }] })),
      applyPatch(`${CONFIGMAPS}/a${B}`, configMap('a', {}, { resourceVersion: '1' })),
      applyPatch(`${CONFIGMAPS}/a${B}`, { ...configMap('a'), unknown: 1 }),
      mergePatch(`${CONFIGMAPS}/a?force=true`, {}),
      mergePatch(`${CONFIGMAPS}/a?fieldManager=${'m'.repeat(129)}`, {}),
      mergePatch(`${CONFIGMAPS}/a`, { metadata: { managedFields: [{}] } }),
      post(`${CONFIGMAPS}?fieldManager=maker`, configMap('made', { a: 'b' }, { labels: { l: '1' } })),
    ],
  },
  {
    name: 'apply-lists',
    showsManagedFields: true,
    steps: [
      applyPatch(`${DEPLOYMENTS}/d${A}`, deployment('d')),
      applyPatch(`${DEPLOYMENTS}/d${B}`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { template: { spec: { containers: [{ name: 'side', image: 's' }] } } },
      }),
      applyPatch(`${DEPLOYMENTS}/d${B}`, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { replicas: 4 },
      }),
      mergePatch(`${DEPLOYMENTS}/d/scale?fieldManager=scaler`, { spec: { replicas: 3 } }),
      get(`${DEPLOYMENTS}/d`),
      post(
        CRDS,
        crd({
          group: G,
          plural: 'things',
          kind: 'Thing',
          versions: [
            crdVersion('v1', {
              spec: {
                type: 'object',
                properties: {
                  items: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['k'],
                    items: {
                      type: 'object',
                      required: ['k'],
                      properties: { k: { type: 'string' }, v: { type: 'string' } },
                    },
                  },
                  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  atomic: {
                    type: 'object',
                    'x-kubernetes-map-type': 'atomic',
                    properties: { a: { type: 'string' }, b: { type: 'string' } },
                  },
                },
              },
            }),
          ],
        }),
        { pick: () => undefined },
      ),
      get(THINGS, { until: 200 }),
      applyPatch(`${THINGS}/t${A}`, {
        apiVersion: `${G}/v1`,
        kind: 'Thing',
        metadata: { name: 't' },
        spec: { items: [{ k: 'a', v: '1' }], set: ['x'], atomic: { a: '1' } },
      }),
      applyPatch(`${THINGS}/t${B}`, {
        apiVersion: `${G}/v1`,
        kind: 'Thing',
        metadata: { name: 't' },
        spec: { items: [{ k: 'b', v: '1' }], set: ['y'] },
      }),
      applyPatch(`${THINGS}/t${B}`, {
        apiVersion: `${G}/v1`,
        kind: 'Thing',
        metadata: { name: 't' },
        spec: { items: [{ k: 'a', v: '2' }], atomic: { b: '1' } },
      }),
      applyPatch(`${THINGS}/t${A}`, {
        apiVersion: `${G}/v1`,
        kind: 'Thing',
        metadata: { name: 't' },
        spec: { set: [] },
      }),
    ],
  },
]

/** Custom resources: definitions, validation, defaults, pruning, versions. */
import {
  del,
  get,
  jsonPatch,
  METADATA_LIST,
  mergePatch,
  post,
  put,
  type Scenario,
  strategicPatch,
  TABLE,
} from '../scenario.ts'
import { CRDS, crd, crdVersion } from './objects.ts'

const spec = (properties: object, rest: object = {}) => ({ spec: { type: 'object', properties, ...rest } })
const established = (name: string) => get(`${CRDS}/${name}`, { untilValue: ['status.conditions.1.status', 'True'] })
const at = (group: string, plural: string, version = 'v1') => `/apis/${group}/${version}/namespaces/{ns}/${plural}`
/** A definition is served a moment after it is established. */
const served = (path: string) => get(path, { until: 200 })

const SCHEMA = spec(
  {
    size: { type: 'string', enum: ['small', 'large'], default: 'small' },
    count: { type: 'integer', minimum: 1, maximum: 5 },
    ratio: { type: 'number', multipleOf: 0.5 },
    name: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]+$' },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2, 'x-kubernetes-list-type': 'set' },
    ports: {
      type: 'array',
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' } },
      },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    either: { 'x-kubernetes-int-or-string': true },
    maybe: { type: 'string', nullable: true },
    when: { type: 'string', format: 'date-time' },
    dict: { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 2 },
  },
  { required: ['count'] },
)

const G = 'custom.example.com'
const WIDGETS = at(G, 'widgets')
const widget = (name: string, fields: object, metadata: object = {}) => ({
  apiVersion: `${G}/v1`,
  kind: 'Widget',
  metadata: { name, ...metadata },
  spec: fields,
})

const V = 'versions.example.com'
const R = 'ratchet.example.com'
const S = 'status.example.com'
const C = 'columns.example.com'

export const customScenarios: readonly Scenario[] = [
  {
    name: 'custom-resources',
    steps: [
      get(WIDGETS),
      post(
        CRDS,
        crd({
          group: G,
          plural: 'widgets',
          kind: 'Widget',
          versions: [crdVersion('v1', SCHEMA)],
          names: { shortNames: ['wd'] },
        }),
      ),
      established(`widgets.${G}`),
      served(WIDGETS),
      post(WIDGETS, widget('a', { count: 1, unknown: 1, free: { kept: { deep: 1 } }, ports: [{ port: 1 }] })),
      post(`${WIDGETS}?fieldValidation=Strict`, widget('b', { count: 1, unknown: 1 })),
      post(`${WIDGETS}?fieldValidation=Warn`, widget('c', { count: 1, unknown: 1 })),
      post(WIDGETS, widget('x', { count: 0, size: 'huge', name: 'A', ratio: 0.3 })),
      post(WIDGETS, widget('x', { count: 'one', size: 3, tags: 'no', free: [] })),
      post(WIDGETS, widget('x', { count: 9, name: 'abcde' })),
      post(WIDGETS, widget('x', {})),
      post(WIDGETS, { apiVersion: `${G}/v1`, kind: 'Widget', metadata: { name: 'no-spec' } }),
      post(WIDGETS, widget('x', { count: 1, tags: ['a', 'a'] })),
      post(WIDGETS, widget('x', { count: 1, tags: ['a', 'b', 'c'] })),
      post(WIDGETS, widget('x', { count: 1, ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] })),
      post(WIDGETS, widget('x', { count: 1, ports: [{ protocol: 'UDP' }] })),
      post(WIDGETS, widget('x', { count: 1, either: true, when: 'noon' })),
      post(WIDGETS, widget('x', { count: 1, dict: { a: 1, b: 'two', c: 3 } })),
      post(WIDGETS, widget('nulls', { count: 1, size: null, maybe: null, either: '5%' })),
      post(WIDGETS, { ...widget('x', { count: 1 }), kind: 'Gadget' }),
      post(WIDGETS, { ...widget('x', { count: 1 }), apiVersion: `${G}/v2` }),
      post(WIDGETS, widget('Upper', { count: 1 })),
      post(WIDGETS, widget('x', { count: 1 }, { labels: { a: 1 } })),
      get(`${WIDGETS}/a`),
      put(`${WIDGETS}/a`, widget('a', { count: 2 })),
      put(`${WIDGETS}/a`, widget('a', { count: 2 }, { resourceVersion: '1' })),
      mergePatch(`${WIDGETS}/a`, { spec: { count: 3, size: 'large' } }),
      mergePatch(`${WIDGETS}/a`, { spec: { count: 30 } }),
      jsonPatch(`${WIDGETS}/a`, [{ op: 'remove', path: '/spec/count' }]),
      strategicPatch(`${WIDGETS}/a`, { spec: { count: 4 } }),
      get(WIDGETS, { headers: { accept: TABLE } }),
      get(WIDGETS, { headers: { accept: METADATA_LIST } }),
      get(`${WIDGETS}?fieldSelector=spec.count%3D1`),
      get(`${WIDGETS}?fieldSelector=metadata.name%3Da`, { pick: (list) => list.items.length }),
      get(`${WIDGETS}/a/status`),
      get(`${WIDGETS}/a/scale`),
      get(`/apis/${G}`),
      get(`/apis/${G}/v1`),
      del(`${WIDGETS}/a`),
      del(`${CRDS}/widgets.${G}`),
      get(WIDGETS, { until: 404 }),
    ],
  },
  {
    name: 'custom-columns',
    steps: [
      post(
        CRDS,
        crd({
          group: C,
          plural: 'things',
          kind: 'Thing',
          versions: [
            crdVersion(
              'v1',
              {
                ...spec({
                  color: { type: 'string' },
                  n: { type: 'integer' },
                  on: { type: 'boolean' },
                  at: { type: 'string', format: 'date-time' },
                }),
              },
              {
                additionalPrinterColumns: [
                  { name: 'Color', type: 'string', jsonPath: '.spec.color', description: 'its color' },
                  { name: 'N', type: 'integer', jsonPath: '.spec.n', priority: 1 },
                  { name: 'On', type: 'boolean', jsonPath: '.spec.on' },
                  { name: 'At', type: 'date', jsonPath: '.spec.at' },
                  { name: 'Label', type: 'string', jsonPath: '.metadata.labels.team' },
                ],
                selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.n' }, { jsonPath: '.spec.on' }],
              },
            ),
          ],
        }),
      ),
      established(`things.${C}`),
      served(at(C, 'things')),
      post(
        at(C, 'things'),
        {
          apiVersion: `${C}/v1`,
          kind: 'Thing',
          metadata: { name: 'a', labels: { team: 'x' } },
          spec: { color: 'red', n: 3, on: true, at: '2020-01-01T00:00:00Z' },
        },
        { pick: () => undefined },
      ),
      post(at(C, 'things'), { apiVersion: `${C}/v1`, kind: 'Thing', metadata: { name: 'b' }, spec: {} }),
      get(at(C, 'things'), {
        headers: { accept: TABLE },
        pick: (table) => [
          table.columnDefinitions,
          table.rows.map((row: { cells: unknown[] }) => row.cells.slice(0, 4)),
        ],
      }),
      get(`${at(C, 'things')}?fieldSelector=spec.color%3Dred`, { headers: { accept: METADATA_LIST } }),
      get(`${at(C, 'things')}?fieldSelector=spec.n%3D3,spec.on%3Dtrue`, { headers: { accept: METADATA_LIST } }),
      get(`${at(C, 'things')}?fieldSelector=spec.color%3D`, { headers: { accept: METADATA_LIST } }),
      get(`${at(C, 'things')}?fieldSelector=spec.at%3Dx`),
    ],
  },
  {
    name: 'custom-versions',
    steps: [
      post(
        CRDS,
        crd({
          group: V,
          plural: 'docs',
          kind: 'Doc',
          versions: [
            crdVersion('v1alpha1', spec({ a: { type: 'string', default: 'old' } }), {
              storage: false,
              deprecated: true,
            }),
            crdVersion('v1', spec({ a: { type: 'string' }, b: { type: 'string', default: 'new' } })),
            crdVersion('v2', spec({}), { storage: false, served: false }),
          ],
        }),
      ),
      established(`docs.${V}`),
      served(at(V, 'docs')),
      post(at(V, 'docs', 'v1alpha1'), { apiVersion: `${V}/v1alpha1`, kind: 'Doc', metadata: { name: 'd' }, spec: {} }),
      get(`${at(V, 'docs')}/d`),
      get(`${at(V, 'docs', 'v1alpha1')}/d`),
      get(at(V, 'docs', 'v2')),
      get(`/apis/${V}`),
      mergePatch(`${at(V, 'docs')}/d`, { spec: { b: 'seen' } }),
      get(`${at(V, 'docs', 'v1alpha1')}/d`),
    ],
  },
  {
    name: 'custom-status',
    steps: [
      post(
        CRDS,
        crd({
          group: S,
          plural: 'jobs',
          kind: 'Chore',
          versions: [
            crdVersion(
              'v1',
              {
                ...spec({ replicas: { type: 'integer' } }),
                status: {
                  type: 'object',
                  properties: {
                    replicas: { type: 'integer' },
                    selector: { type: 'string' },
                    note: { type: 'string', maxLength: 3 },
                  },
                },
              },
              {
                subresources: {
                  status: {},
                  scale: {
                    specReplicasPath: '.spec.replicas',
                    statusReplicasPath: '.status.replicas',
                    labelSelectorPath: '.status.selector',
                  },
                },
              },
            ),
          ],
        }),
      ),
      established(`jobs.${S}`),
      served(at(S, 'jobs')),
      post(at(S, 'jobs'), {
        apiVersion: `${S}/v1`,
        kind: 'Chore',
        metadata: { name: 'c' },
        spec: { replicas: 1 },
        status: { replicas: 5 },
      }),
      mergePatch(`${at(S, 'jobs')}/c`, { spec: { replicas: 2 }, status: { replicas: 5 } }),
      mergePatch(`${at(S, 'jobs')}/c/status`, {
        spec: { replicas: 9 },
        status: { replicas: 2, selector: 'a=b' },
        metadata: { labels: { x: 'y' } },
      }),
      mergePatch(`${at(S, 'jobs')}/c/status`, { status: { note: 'long' } }),
      get(`${at(S, 'jobs')}/c/scale`),
      mergePatch(`${at(S, 'jobs')}/c/scale`, { spec: { replicas: 7 } }),
      put(`${at(S, 'jobs')}/c/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'c' },
        spec: { replicas: 8 },
      }),
      get(`${at(S, 'jobs')}/c`),
    ],
  },
  {
    name: 'custom-ratcheting',
    steps: [
      post(
        CRDS,
        crd({
          group: R,
          plural: 'rules',
          kind: 'Rule',
          versions: [crdVersion('v1', spec({ name: { type: 'string' }, n: { type: 'integer' } }))],
        }),
      ),
      established(`rules.${R}`),
      served(at(R, 'rules')),
      post(at(R, 'rules'), {
        apiVersion: `${R}/v1`,
        kind: 'Rule',
        metadata: { name: 'old' },
        spec: { name: 'abcdef' },
      }),
      mergePatch(
        `${CRDS}/rules.${R}`,
        {
          spec: {
            versions: [crdVersion('v1', spec({ name: { type: 'string', maxLength: 3 }, n: { type: 'integer' } }))],
          },
        },
        { pick: (body) => body.metadata.generation },
      ),
      post(
        `${at(R, 'rules')}?dryRun=All`,
        { apiVersion: `${R}/v1`, kind: 'Rule', metadata: { name: 'new' }, spec: { name: 'abcdef' } },
        { until: 422 },
      ),
      mergePatch(`${at(R, 'rules')}/old`, { spec: { n: 2 } }),
      mergePatch(`${at(R, 'rules')}/old`, { spec: { name: 'abcde' } }),
      mergePatch(`${at(R, 'rules')}/old`, { spec: { name: 'abc' } }),
    ],
  },
  {
    name: 'definitions',
    steps: [
      post(CRDS, {
        ...crd({ group: 'bad.example.com', plural: 'as', kind: 'A', versions: [crdVersion('v1', {})] }),
        metadata: { name: 'wrong' },
      }),
      post(CRDS, crd({ group: 'bad.example.com', plural: 'as', kind: 'A', versions: [] })),
      post(
        CRDS,
        crd({
          group: 'bad.example.com',
          plural: 'as',
          kind: 'A',
          versions: [{ name: 'v1', served: true, storage: true }],
        }),
      ),
      post(CRDS, crd({ group: 'bad.example.com', plural: 'as', kind: 'A', versions: [crdVersion('v1', { x: {} })] })),
      post(
        CRDS,
        crd({
          group: 'bad.example.com',
          plural: 'as',
          kind: 'A',
          versions: [crdVersion('v1', { x: { type: 'string', default: 5 } })],
        }),
      ),
      post(
        CRDS,
        crd({
          group: 'bad.example.com',
          plural: 'as',
          kind: 'A',
          versions: [crdVersion('v1', {}), crdVersion('v2', {})],
        }),
      ),
      post(
        CRDS,
        crd({
          group: 'bad.example.com',
          plural: 'as',
          kind: 'A',
          versions: [crdVersion('V1', {}, { storage: false })],
        }),
      ),
      post(CRDS, crd({ group: 'bad.k8s.io', plural: 'as', kind: 'A', versions: [crdVersion('v1', {})] })),
      post(CRDS, crd({ group: 'bad.example.com', plural: 'As', kind: 'a-b', versions: [crdVersion('v1', {})] })),
      post(
        CRDS,
        crd({
          group: 'ok.example.com',
          plural: 'as',
          kind: 'A',
          versions: [crdVersion('v1', { x: { type: 'array' } })],
        }),
      ),
      post(CRDS, { ...crd({ group: 'ok.example.com', plural: 'as', kind: 'A', versions: [crdVersion('v1', {})] }) }),
      established('as.ok.example.com'),
      mergePatch(`${CRDS}/as.ok.example.com`, { spec: { scope: 'Cluster' } }),
      mergePatch(`${CRDS}/as.ok.example.com`, { spec: { names: { kind: 'B' } } }),
      get(CRDS, { headers: { accept: TABLE }, pick: (table) => table.columnDefinitions }),
    ],
  },
]

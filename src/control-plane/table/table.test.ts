import { expect, test } from 'vitest'
import { builtinResources } from '../builtin/index.ts'
import type { PrinterColumn, ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { renderTable } from './table.ts'

const NOW = Date.parse('2026-01-01T01:00:00Z')
const options = { includeObject: 'None', now: NOW, withColumns: true } as const

const definitionOf = (kind: string, group?: string): ResourceDefinition =>
  builtinResources().find((candidate) => candidate.kind === kind && (group ?? candidate.group) === candidate.group)!

const object = (kind: string, fields: object, metadata: object = {}): StoredObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'a', uid: 'u', resourceVersion: '7', creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
  ...fields,
})

interface Table {
  columnDefinitions: Array<{ name: string; priority: number }> | null
  rows: Array<{ cells: unknown[]; object?: unknown }>
  metadata: unknown
}

const table = (definition: ResourceDefinition, value: StoredObject): Table =>
  renderTable(definition, [value], options) as unknown as Table

/** Cells by column name, those of `-o wide` included. */
const cells = (kind: string, fields: object, metadata: object = {}): Record<string, unknown> => {
  const { columnDefinitions, rows } = table(definitionOf(kind), object(kind, fields, metadata))
  return Object.fromEntries(columnDefinitions!.map(({ name }, index) => [name, rows[0]!.cells[index]]))
}

test('every built-in kind renders an object that has metadata only', () => {
  for (const definition of builtinResources()) {
    const { columnDefinitions, rows } = table(definition, object(definition.kind, {}))
    expect(rows[0]!.cells, definition.kind).toHaveLength(columnDefinitions!.length)
    expect(rows[0]!.cells, definition.kind).not.toContain(undefined)
  }
})

test('a namespace shows its phase and age', () => {
  expect(cells('Namespace', { status: { phase: 'Active' } })).toEqual({ Name: 'a', Status: 'Active', Age: '60m' })
})

const container = (state: object, extra: object = {}): object => ({ name: 'c', restartCount: 0, state, ...extra })
const podOf = (status: object, spec: object = { containers: [{ name: 'c' }] }): object => ({ spec, status })

test.each([
  ['a pending pod', podOf({ phase: 'Pending' }), { Ready: '0/1', Status: 'Pending', Restarts: '0' }],
  [
    'a running pod',
    podOf({ phase: 'Running', containerStatuses: [container({ running: {} }, { ready: true })] }),
    { Ready: '1/1', Status: 'Running' },
  ],
  [
    'a container that waits',
    podOf({ phase: 'Pending', containerStatuses: [container({ waiting: { reason: 'ErrImagePull' } })] }),
    { Ready: '0/1', Status: 'ErrImagePull' },
  ],
  [
    'a container that ended with a signal',
    podOf({ phase: 'Failed', containerStatuses: [container({ terminated: { exitCode: 137, signal: 9 } })] }),
    { Status: 'Signal:9' },
  ],
  [
    'a container that was restarted',
    podOf({
      phase: 'Running',
      containerStatuses: [
        container(
          { running: {} },
          { ready: true, restartCount: 3, lastState: { terminated: { finishedAt: '2026-01-01T00:55:00Z' } } },
        ),
      ],
    }),
    { Restarts: '3 (5m ago)', Status: 'Running' },
  ],
  [
    'an init container that runs',
    podOf(
      { phase: 'Pending', initContainerStatuses: [{ name: 'i', restartCount: 0, state: { running: {} } }] },
      { containers: [{ name: 'c' }], initContainers: [{ name: 'i' }] },
    ),
    { Ready: '0/1', Status: 'Init:0/1' },
  ],
  [
    'an init container that failed',
    podOf(
      {
        phase: 'Pending',
        initContainerStatuses: [{ name: 'i', restartCount: 2, state: { terminated: { exitCode: 2 } } }],
      },
      { containers: [{ name: 'c' }], initContainers: [{ name: 'i' }] },
    ),
    { Status: 'Init:ExitCode:2', Restarts: '2' },
  ],
  [
    'a started sidecar counts as a container',
    podOf(
      {
        phase: 'Running',
        initContainerStatuses: [{ name: 'i', restartCount: 1, started: true, ready: true, state: { running: {} } }],
        containerStatuses: [container({ running: {} }, { ready: true })],
      },
      { containers: [{ name: 'c' }], initContainers: [{ name: 'i', restartPolicy: 'Always' }] },
    ),
    { Ready: '2/2', Status: 'Running', Restarts: '1' },
  ],
  [
    'a pod held back by a scheduling gate',
    podOf({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
    { Status: 'SchedulingGated' },
  ],
])('%s', (_, fields, expected) => {
  expect(cells('Pod', fields)).toMatchObject(expected)
})

test('a pod that is being deleted is Terminating, unless it has ended', () => {
  const deleted = { deletionTimestamp: '2026-01-01T00:59:00Z' }
  expect(cells('Pod', podOf({ phase: 'Running' }), deleted)).toMatchObject({ Status: 'Terminating' })
  expect(cells('Pod', podOf({ phase: 'Succeeded' }), deleted)).toMatchObject({ Status: 'Succeeded' })
  expect(cells('Pod', podOf({ phase: 'Running', reason: 'NodeLost' }), deleted)).toMatchObject({ Status: 'Unknown' })
})

test('a cordoned node says so, and shows its roles', () => {
  const fields = {
    spec: { unschedulable: true },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      nodeInfo: { kubeletVersion: 'v1.36.3', kernelVersion: '6.1', architecture: 'amd64' },
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    },
  }
  const labels = { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/control-plane': '' }
  expect(cells('Node', fields, { labels })).toMatchObject({
    Status: 'Ready,SchedulingDisabled',
    Roles: 'control-plane,worker',
    Version: 'v1.36.3',
    'Internal-IP': '10.0.0.1',
    'Kernel-Version': '6.1 (amd64)',
  })
})

test.each([
  ['ClusterIP', {}, '<none>'],
  ['LoadBalancer', {}, '<pending>'],
  ['LoadBalancer', { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } }, '1.2.3.4'],
])('a %s service with status %j shows %s', (type, status, shown) => {
  const spec = {
    type,
    clusterIPs: ['10.96.0.1'],
    ports: [
      { port: 80, nodePort: 30000, protocol: 'TCP' },
      { port: 53, protocol: 'UDP' },
    ],
  }
  expect(cells('Service', { spec, status })).toMatchObject({
    'External-IP': shown,
    'Cluster-IP': '10.96.0.1',
    'Port(s)': '80:30000/TCP,53/UDP',
  })
})

test('a deployment shows ready of desired, and its selector as text', () => {
  const spec = {
    replicas: 3,
    selector: { matchLabels: { app: 'x' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['b', 'a'] }] },
    template: {
      spec: {
        containers: [
          { name: 'c', image: 'i:1' },
          { name: 'd', image: 'j:2' },
        ],
      },
    },
  }
  expect(cells('Deployment', { spec, status: { readyReplicas: 1, updatedReplicas: 3 } })).toMatchObject({
    Ready: '1/3',
    'Up-to-date': 3,
    Available: 0,
    Containers: 'c,d',
    Images: 'i:1,j:2',
    Selector: 'app=x,tier in (a,b)',
  })
})

test('a job shows its condition, completions and how long it took', () => {
  const status = {
    succeeded: 2,
    startTime: '2026-01-01T00:00:00Z',
    completionTime: '2026-01-01T00:00:30Z',
    conditions: [{ type: 'Complete', status: 'True' }],
  }
  expect(cells('Job', { spec: { completions: 2 }, status })).toMatchObject({
    Status: 'Complete',
    Completions: '2/2',
    Duration: '30s',
  })
})

test('an event shows when it was last seen and what it is about', () => {
  const fields = {
    involvedObject: { kind: 'Pod', name: 'p' },
    type: 'Normal',
    reason: 'Started',
    message: ' up \n',
    count: 4,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:59:50Z',
    source: { component: 'kubelet', host: 'n1' },
  }
  const { columnDefinitions, rows } = table(definitionOf('Event', ''), object('Event', fields))
  expect(columnDefinitions!.filter(({ priority }) => priority === 0).map(({ name }) => name)).toEqual([
    'Last Seen',
    'Type',
    'Reason',
    'Object',
    'Message',
  ])
  expect(rows[0]!.cells).toEqual(['10s', 'Normal', 'Started', 'pod/p', '', 'kubelet, n1', 'up', '60m', 4, 'a'])
})

const widget = (columns: PrinterColumn[]): ResourceDefinition => ({
  ...definitionOf('ConfigMap'),
  origin: 'custom',
  columns,
})

test('a custom kind shows its name and the values at its paths, typed', () => {
  const definition = widget([
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Since', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Absent', type: 'string', jsonPath: '.spec.absent' },
    { name: 'Wrong', type: 'integer', jsonPath: '.spec.text' },
    { name: 'Map', type: 'string', jsonPath: '.spec.map' },
    { name: 'Broken', type: 'string', jsonPath: '.spec[' },
  ])
  const fields = {
    spec: { replicas: 2, text: 'x', map: { a: 1 } },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }
  const { columnDefinitions, rows } = table(definition, object('Widget', fields))
  expect(columnDefinitions!.map(({ name }) => name)).toEqual([
    'Name',
    'Replicas',
    'Ready',
    'Since',
    'Absent',
    'Wrong',
    'Map',
    'Broken',
  ])
  expect(rows[0]!.cells).toEqual(['a', 2, 'True', '60m', null, null, '{"a":1}', null])
})

test('a custom kind without columns shows name and age', () => {
  expect(table(widget([]), object('Widget', {})).rows[0]!.cells).toEqual(['a', '60m'])
})

test('rows carry what was asked for, and a continued watch repeats no columns', () => {
  const namespace = object('Namespace', {})
  const render = (more: object) =>
    renderTable(definitionOf('Namespace'), [namespace], { ...options, ...more }) as unknown as Table
  expect(render({ includeObject: 'Object' }).rows[0]!.object).toBe(namespace)
  expect(render({ includeObject: 'Metadata' }).rows[0]!.object).toMatchObject({ kind: 'PartialObjectMetadata' })
  expect(render({}).rows[0]!.object).toBeNull()
  expect(render({ withColumns: false }).columnDefinitions).toBeNull()
  expect(render({ listMeta: { resourceVersion: '9' } }).metadata).toEqual({ resourceVersion: '9' })
})

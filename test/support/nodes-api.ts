/** Answers of the HTTP API about a standing cluster and a rollout of it, for tests of its clients. */
import type { ServerResponse } from 'node:http'
import type { Answer } from '../../src/client/api.ts'
import { json } from './cli-bench.ts'
import type { ScriptedAnswer } from './scripted-server.ts'

export const OPERATION_NAME = 'rollout-1'
export const EVENTS_PATH = `/v1/operations/${OPERATION_NAME}/events`

type Operation = Answer<'getOperation'>
type Progress = NonNullable<Operation['progress']>

const STARTED: Progress = { total: 2, done: 0, outOfDate: 2, inFlight: 1, failed: 0, skipped: 0 }
const nodeAt = (name: string, seconds: number): Operation['nodes'][number] => ({
  name,
  group: 'workers',
  step: 'Draining',
  since: new Date(Date.parse('2026-01-02T10:00:00Z') + seconds * 1000).toISOString(),
})

export const OPERATION: Operation = {
  name: OPERATION_NAME,
  uid: 'u1',
  cluster: 'demo',
  type: 'Rollout',
  phase: 'Running',
  ended: false,
  state: 'Updating',
  message: '1 node(s) are worked on: 1 Draining',
  startedAt: '2026-01-02T10:00:00Z',
  progress: STARTED,
  nodes: [nodeAt('worker-1', 1)],
  allowLastWorker: false,
  cancelRequested: false,
}
export const HALF: Operation = {
  ...OPERATION,
  progress: { ...STARTED, done: 1, outOfDate: 1 },
  nodes: [nodeAt('worker-2', 20)],
}
export const DONE: Operation = {
  ...OPERATION,
  phase: 'Succeeded',
  ended: true,
  endedAt: '2026-01-02T10:02:03Z',
  message: 'all nodes are up to date',
  progress: { ...STARTED, done: 2, outOfDate: 0, inFlight: 0 },
  nodes: [],
}
export const FAILED: Operation = {
  ...OPERATION,
  phase: 'Failed',
  ended: true,
  nodes: [],
  lastError: 'worker-1: drain: default/web-1',
}
export const CANCELLED: Operation = { ...OPERATION, phase: 'Cancelled', ended: true, nodes: [] }

export const NOTE = { reason: 'PreflightFailed', message: 'paused: control-2 is not Ready', level: 'Warning' } as const

type Plan = Answer<'planRollout'>
type PlannedNode = Plan['batches'][number]['nodes'][number]

const BLOCKED: PlannedNode['findings'][number] = {
  kind: 'ZeroBudget',
  blocks: true,
  pods: ['default/web-1'],
  budgets: ['default/web'],
  message: 'default/web-1 is held by PodDisruptionBudget default/web',
}
const planned = (name: string, findings: PlannedNode['findings'] = []): PlannedNode => ({
  name,
  reasons: ['offering small, wanted large'],
  findings,
})
export const PLAN: Plan = {
  cluster: 'demo',
  state: 'Running',
  groups: [{ name: 'workers', type: 'worker', nodes: 3, outOfDate: 2 }],
  batches: [
    {
      group: 'workers',
      nodes: [planned('worker-1', [BLOCKED]), planned('worker-2')],
      waitsFor: [],
      estimateMs: 90_000,
    },
  ],
  leftOut: [{ node: 'worker-3', reason: 'DoNotDisrupt', message: 'it is annotated do-not-disrupt' }],
  totalNodes: 2,
  estimateMs: 90_000,
  estimateBasis: 'the usual times of the provider',
  notes: [],
}

export const CLUSTER: Answer<'getCluster'> = {
  name: 'demo',
  uid: 'c1',
  state: 'Updating',
  provider: 'simulated',
  operation: { name: OPERATION_NAME, type: 'Rollout', since: '2026-01-02T10:00:00Z' },
  groups: [
    {
      name: 'workers',
      type: 'worker',
      nodes: 3,
      ready: 3,
      outOfDate: 2,
      unavailable: 0,
      settings: { offering: 'large' },
      maxUnavailable: 2,
    },
  ],
  nodes: [
    { name: 'worker-1', group: 'workers', type: 'worker', ready: true, outOfDate: ['offering'], step: 'Draining' },
  ],
}

export function sendEvent(response: ServerResponse, name: string, data: object, id: number): void {
  response.write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}

/** A stream of these, one after the other; it stays open unless the last one is the end. */
export const stream =
  (...events: readonly [string, object][]): ScriptedAnswer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [index, [name, data]] of events.entries()) sendEvent(response, name, data, index + 1)
    if (events.at(-1)?.[0] === 'end') response.end()
  }

/** A cluster in mid-rollout, and a rollout that comes to its end as soon as it is followed. */
export const nodesApi = (): Record<string, ScriptedAnswer> => ({
  'GET /v1/clusters': json(200, { clusters: [CLUSTER] }),
  'GET /v1/clusters/demo': json(200, CLUSTER),
  [`GET /v1/clusters/${OPERATION_NAME}`]: json(404, { error: 'Cluster not found', reason: 'cluster_not_found' }),
  'POST /v1/clusters/demo/plan': json(200, PLAN),
  'POST /v1/operations': json(202, { ...OPERATION, phase: 'Pending', nodes: [], progress: undefined }),
  'GET /v1/operations': json(200, { operations: [OPERATION] }),
  [`GET /v1/operations/${OPERATION_NAME}`]: json(200, OPERATION),
  [`POST /v1/operations/${OPERATION_NAME}/cancel`]: json(202, { ...OPERATION, cancelRequested: true }),
  [`GET /v1/operations/${OPERATION_NAME}/explain`]: json(200, { operation: OPERATION, notes: [NOTE] }),
  [`GET ${EVENTS_PATH}`]: stream(
    ['operation', OPERATION],
    ['note', NOTE],
    ['operation', HALF],
    ['operation', DONE],
    ['end', {}],
  ),
})

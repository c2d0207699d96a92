/** `kobe cluster` and `kobe node` against a server whose answers each test writes. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type ScriptedAnswer,
  type ScriptedServer,
  sendJson,
  startScriptedServer,
} from '../../test/support/scripted-server.ts'
import { Interrupt } from './interrupt.ts'
import { type CliIo, runCli } from './program.ts'

const NAME = 'demo-rollout-1'
const OPERATION = {
  name: NAME,
  uid: 'u1',
  cluster: 'demo',
  type: 'Rollout',
  phase: 'Running',
  ended: false,
  state: 'Updating',
  message: '1 node(s) are worked on: 1 Draining',
  startedAt: '2026-01-02T10:00:00Z',
  progress: { total: 2, done: 0, outOfDate: 2, inFlight: 1, failed: 0, skipped: 0 },
  nodes: [{ name: 'worker-1', group: 'workers', step: 'Draining', since: '2026-01-02T10:00:01Z' }],
  allowLastWorker: false,
  cancelRequested: false,
}
const HALF = {
  ...OPERATION,
  progress: { ...OPERATION.progress, done: 1, outOfDate: 1 },
  nodes: [{ name: 'worker-2', group: 'workers', step: 'Draining', since: '2026-01-02T10:00:20Z' }],
}
const DONE = {
  ...OPERATION,
  phase: 'Succeeded',
  ended: true,
  endedAt: '2026-01-02T10:02:03Z',
  message: 'all nodes are up to date',
  progress: { ...OPERATION.progress, done: 2, outOfDate: 0, inFlight: 0 },
  nodes: [],
}
const FAILED = { ...OPERATION, phase: 'Failed', ended: true, nodes: [], lastError: 'worker-1: drain: default/web-1' }
const NOTE = { reason: 'PreflightFailed', message: 'paused: control-2 is not Ready', level: 'Warning' }
const finding = {
  kind: 'ZeroBudget',
  blocks: true,
  pods: ['default/web-1'],
  budgets: ['default/web'],
  message: 'default/web-1 is held by PodDisruptionBudget default/web',
}
const node = (name: string, findings: object[] = []) => ({ name, reasons: ['offering small, wanted large'], findings })
const PLAN = {
  cluster: 'demo',
  state: 'Running',
  groups: [{ name: 'workers', type: 'worker', nodes: 3, outOfDate: 2 }],
  batches: [
    { group: 'workers', nodes: [node('worker-1', [finding]), node('worker-2')], waitsFor: [], estimateMs: 90_000 },
  ],
  leftOut: [{ node: 'worker-3', reason: 'DoNotDisrupt', message: 'it is annotated do-not-disrupt' }],
  totalNodes: 2,
  estimateMs: 90_000,
  estimateBasis: 'the usual times of the provider',
  notes: [],
}
const CLUSTER = {
  name: 'demo',
  uid: 'c1',
  state: 'Updating',
  provider: 'simulated',
  operation: { name: NAME, type: 'Rollout', since: '2026-01-02T10:00:00Z' },
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

const CURSOR_UP = new RegExp(`${String.fromCharCode(27)}\\[\\d+A`)
const EVENTS = `/v1/operations/${NAME}/events`
let dir: string
let server: ScriptedServer
let answers: Record<string, ScriptedAnswer>
let interrupt: AbortController

const json =
  (status: number, body: unknown): ScriptedAnswer =>
  (_, response) =>
    sendJson(response, status, body)

function event(response: ServerResponse, name: string, data: object, id: number): void {
  response.write(`id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}

/** A stream of these, one after the other; it stays open unless the last one is the end. */
const stream =
  (...events: readonly [string, object][]): ScriptedAnswer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [index, [name, data]] of events.entries()) event(response, name, data, index + 1)
    if (events.at(-1)?.[0] === 'end') response.end()
  }

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'kobe-node-commands-'))
  interrupt = new AbortController()
  answers = {
    'GET /v1/clusters': json(200, { clusters: [CLUSTER] }),
    'GET /v1/clusters/demo': json(200, CLUSTER),
    'POST /v1/clusters/demo/plan': json(200, PLAN),
    'POST /v1/operations': json(202, { ...OPERATION, phase: 'Pending', nodes: [], progress: undefined }),
    'GET /v1/operations': json(200, { operations: [OPERATION] }),
    [`GET /v1/operations/${NAME}`]: json(200, OPERATION),
    [`POST /v1/operations/${NAME}/cancel`]: json(202, { ...OPERATION, cancelRequested: true }),
    [`GET /v1/operations/${NAME}/explain`]: json(200, { operation: OPERATION, notes: [NOTE] }),
    [`GET ${EVENTS}`]: stream(
      ['operation', OPERATION],
      ['note', NOTE],
      ['operation', HALF],
      ['operation', DONE],
      ['end', {}],
    ),
  }
  server = await startScriptedServer((request, response) => {
    const missing = { error: 'No such path', reason: 'route_not_found' }
    return (answers[`${request.method} ${request.path}`] ?? json(404, missing))(request, response)
  })
})
afterEach(async () => {
  await server.close()
  rmSync(dir, { recursive: true, force: true })
})

async function kobeWith(io: Partial<CliIo>, ...argv: string[]) {
  let stdout = ''
  let stderr = ''
  const code = await runCli({
    argv,
    env: { HOME: dir, KOBE_ENDPOINT: server.url, KOBE_TOKEN: 'api-secret' },
    cwd: dir,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    signal: interrupt.signal,
    ...io,
  })
  return { code, stdout, stderr }
}
const kobe = (...argv: string[]) => kobeWith({}, ...argv)
const sent = (line: string) => server.requests.filter(({ method, path }) => `${method} ${path}` === line)
const bodyOf = (line: string) => JSON.parse(sent(line)[0]?.body ?? 'null')
const valuesIn = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
const withoutTimes = (text: string) => text.replaceAll(/^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d {2}/gm, '')

describe('node rollout', () => {
  test('says the plan in short, then what happens line by line, and ends with code 0', async () => {
    const { code, stdout, stderr } = await kobe('node', 'rollout', 'demo')
    expect(stderr).toContain('kobe node plan demo')
    expect(code).toBe(0)
    expect(withoutTimes(stdout)).toBe(`demo: 2 node(s) in 1 batch(es), about 1m 30s
  workers: worker-1, worker-2, up to 2 at a time
  left out: worker-3: it is annotated do-not-disrupt
  blocked: worker-1: ZeroBudget default/web-1 default/web
demo: Rollout demo-rollout-1 is Running, 0/2 done, 1 in flight
worker-1: Draining
PreflightFailed  paused: control-2 is not Ready
demo: 1/2 done, 1 in flight
worker-1: done
worker-2: Draining
demo: Rollout demo-rollout-1 is Succeeded, 2/2 done
worker-2: done
`)
  })

  test('with -o json is one JSON value per line, the end last', async () => {
    const { code, stdout, stderr } = await kobe('node', 'rollout', 'demo', '-o', 'json')
    const values = valuesIn(stdout)
    expect(code).toBe(0)
    expect(stderr).toBe('')
    expect(values.map(({ event: name }) => name)).toEqual([
      'plan',
      'operation',
      'note',
      'operation',
      'operation',
      'end',
    ])
    expect(values.at(-1).operation).toMatchObject({ name: NAME, phase: 'Succeeded' })
  })

  test('with -o yaml is the operation as it ended', async () => {
    const { stdout } = await kobe('node', 'rollout', 'demo', '-o', 'yaml')
    expect(stdout).toMatch(/^name: demo-rollout-1\n/)
    expect(stdout).toContain('phase: Succeeded')
  })

  test('sends settings, budget and selection to the plan and to the operation, with a key against repetition', async () => {
    const asked = ['--group', 'workers', '--offering', 'large', '--root-disk', '40', '--affinity', 'a, b']
    const more = ['--max-unavailable', '2', '--allow-last-worker', '--node', 'worker-1', '--label', 'disk=ssd']
    await kobe('node', 'rollout', 'demo', ...asked, ...more)
    const request = {
      settings: { workers: { offering: 'large', rootDiskSizeGB: 40, affinityGroups: ['a', 'b'] } },
      maxUnavailable: 2,
      allowLastWorker: true,
      selector: { names: ['worker-1'], matchLabels: { disk: 'ssd' } },
    }
    expect(bodyOf('POST /v1/clusters/demo/plan')).toEqual(request)
    expect(bodyOf('POST /v1/operations')).toEqual({
      cluster: 'demo',
      type: 'Rollout',
      ...request,
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test('--no-wait says how to follow and to cancel', async () => {
    const { code, stdout } = await kobe('node', 'rollout', 'demo', '--no-wait')
    expect(code).toBe(0)
    expect(stdout).toContain('`kobe node status demo --follow` watches it, `kobe node cancel demo` ends it')
    expect(sent(`GET ${EVENTS}`)).toHaveLength(0)
  })

  test('a connection that breaks is opened again after the last event, and nothing is lost or told twice', async () => {
    answers[`GET ${EVENTS}`] = (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const first = sent(`GET ${EVENTS}`).length === 1
      event(response, 'operation', first ? OPERATION : HALF, first ? 1 : 3)
      event(response, 'note', NOTE, 2)
      if (first) response.write('event: operation\ndata: {"half', request.cut)
      else {
        event(response, 'operation', DONE, 4)
        event(response, 'end', {}, 5)
        response.end()
      }
    }
    const { code, stdout } = await kobe('node', 'rollout', 'demo', '-o', 'json')
    expect(code).toBe(0)
    expect(valuesIn(stdout).map(({ event: name }) => name)).toEqual([
      'plan',
      'operation',
      'note',
      'operation',
      'operation',
      'end',
    ])
    expect(sent(`GET ${EVENTS}`).map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2'])
  })

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s stops watching with code %i, and does not cancel', async (signal, code) => {
    answers[`GET ${EVENTS}`] = (_, response) => {
      response.writeHead(200)
      event(response, 'operation', OPERATION, 1)
      setImmediate(() => interrupt.abort(new Interrupt(signal)))
    }
    const result = await kobe('node', 'rollout', 'demo', '-o', 'json')
    expect(result.code).toBe(code)
    expect(valuesIn(result.stdout).at(-1)).toMatchObject({ event: 'detached' })
    expect(result.stderr).toContain('goes on: `kobe node status demo --follow`')
    expect(sent(`POST /v1/operations/${NAME}/cancel`)).toHaveLength(0)
  })

  test('--timeout ends with code 5, says what is missing, and that it goes on', async () => {
    answers[`GET ${EVENTS}`] = stream(['operation', OPERATION])
    const { code, stderr } = await kobe('node', 'rollout', 'demo', '--timeout', '1s')
    expect(code).toBe(5)
    expect(stderr).toContain('1 node(s) are worked on: 1 Draining')
    expect(stderr).toContain('fix: demo-rollout-1 goes on')
  })

  test.each([
    ['failed', FAILED, 9, 'worker-1: drain: default/web-1'],
    ['was cancelled', { ...FAILED, phase: 'Cancelled', lastError: undefined }, 10, 'takes up what is left'],
    ['was superseded', { ...FAILED, phase: 'Superseded', lastError: undefined }, 10, 'is Superseded'],
  ])('one that %s has a code of its own', async (_title, operation, code, text) => {
    answers[`GET ${EVENTS}`] = stream(['operation', operation], ['end', {}])
    const result = await kobe('node', 'rollout', 'demo')
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(text)
  })

  test('on a terminal it is drawn in place, and the last drawing stays; with CI, NO_COLOR or TERM=dumb it is not', async () => {
    const show = async (env: Record<string, string>) => {
      let text = ''
      const stdout = { isTTY: true, columns: 100, rows: 30, write: (chunk: string) => (text += chunk) }
      const all = { HOME: dir, KOBE_ENDPOINT: server.url, ...env }
      await kobeWith({ stdout, env: all }, 'node', 'rollout', 'demo')
      return text
    }
    const drawn = await show({})
    expect(drawn).toMatch(CURSOR_UP)
    expect(drawn).toContain('took 2m 3s')
    for (const env of [{ CI: 'true' }, { NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      expect(await show(env)).not.toMatch(CURSOR_UP)
    }
  })
})

describe('what is refused', () => {
  test.each([
    ['another operation holds the cluster', [409, 'cluster_busy'], 11, 'kobe node status'],
    ['settings are not possible', [422, 'settings_refused'], 11, 'fix: '],
    ['the verb is not granted', [403, 'cluster_forbidden'], 3, 'AccessPolicy'],
    ['there is no such cluster', [404, 'cluster_not_found'], 4, 'kobe cluster list'],
    ['the operator is too old', [404, 'route_not_found'], 6, 'older than this command'],
  ] as const)('because %s', async (_title, [status, reason], code, fix) => {
    const detail = 'operation demo-2 (Rollout) holds the cluster'
    answers['POST /v1/operations'] = json(status, { error: 'refused', reason, detail })
    const result = await kobe('node', 'rollout', 'demo')
    expect(result.code).toBe(code)
    expect(result.stderr).toContain(detail)
    expect(result.stderr).toContain(fix)
  })

  test.each([
    [['node', 'rollout', 'demo', '--offering', 'large'], 'which group'],
    [['node', 'rollout', 'demo', '--group', 'workers'], 'no setting is given'],
    [['node', 'rollout', 'demo', '--max-unavailable', '0'], 'neither a number nor a percentage'],
    [['node', 'rollout', 'demo', '--label', 'x'], 'not a key and a value'],
    [['node', 'rollout', 'demo', '--no-wait', '--timeout', '1m'], 'cannot go with'],
    [['node', 'status', '--follow'], 'follow what'],
    [['cluster', 'set', 'demo'], 'nothing to store'],
    [['cluster', 'set', 'demo', '--group', 'a', '--root-disk', '4x'], 'not a size'],
    [['cluster', 'create', 'x', '--in-cluster'], 'what runs its machines'],
    [['cluster', 'create', 'x', '--provider', 'simulated'], 'how is the cluster reached'],
    [['cluster', 'create', 'x', '--provider', 'simulated', '--in-cluster', '--group', 'w'], 'not a name and a type'],
    [['cluster', 'destroy', 'demo'], 'destroy would destroy'],
  ])('`kobe %j` before anything is sent', async (argv, text) => {
    const { code, stderr } = await kobe(...argv)
    expect(code).toBe(2)
    expect(stderr).toContain(text)
    expect(server.requests).toHaveLength(0)
  })
})

describe('node plan, status, explain, cancel', () => {
  test('plan lists nodes in their order with reasons, what blocks, what is left out, and the estimate', async () => {
    const { stdout } = await kobe('node', 'plan', 'demo')
    expect(stdout).toMatch(/^Estimate +1m 30s \(the usual times of the provider\)$/m)
    expect(stdout).toMatch(
      /^1 +worker-1 +workers +offering small, wanted large +ZeroBudget default\/web-1 default\/web +1m 30s$/m,
    )
    expect(stdout).toMatch(/^1 +worker-2 +workers +offering small, wanted large +-$/m)
    expect(stdout).toMatch(/^worker-1 +blocked +default\/web-1 is held by PodDisruptionBudget default\/web$/m)
    expect(stdout).toMatch(/^worker-3 +DoNotDisrupt +it is annotated/m)
    expect(JSON.parse((await kobe('node', 'plan', 'demo', '-o', 'json')).stdout)).toEqual(PLAN)
  })

  test('plan says what a rollout would be refused for, and that is no error', async () => {
    const refused = { reason: 'ClusterBusy', message: 'operation demo-2 (Rollout) holds the cluster' }
    answers['POST /v1/clusters/demo/plan'] = json(200, { ...PLAN, refused, batches: [], totalNodes: 0 })
    const { code, stdout } = await kobe('node', 'plan', 'demo')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Refused +ClusterBusy: operation demo-2/m)
    expect(stdout).toContain('Nothing to roll.')
  })

  test('status shows what goes on in a cluster node by node, or all operations', async () => {
    answers[`GET /v1/clusters/${NAME}`] = json(404, { error: 'Cluster not found', reason: 'cluster_not_found' })
    const one = (await kobe('node', 'status', 'demo')).stdout
    expect(one).toContain('demo  Updating  Rollout demo-rollout-1  Running')
    expect(one).toMatch(/worker-1 +workers +Draining/)
    expect((await kobe('node', 'status')).stdout).toMatch(/^demo-rollout-1 +demo +Rollout +Running +0\/2/m)
    expect((await kobe('node', 'status', 'demo', '--follow')).code).toBe(0)
    expect(JSON.parse((await kobe('node', 'status', NAME, '-o', 'json')).stdout)).toMatchObject({ others: [] })
  })

  test('explain has the notes of the planner', async () => {
    expect((await kobe('node', 'explain', 'demo')).stdout).toMatch(/^PreflightFailed +- +paused: control-2/m)
  })

  test('cancel takes the name of the cluster or of the operation, and can wait for the end', async () => {
    answers[`GET /v1/clusters/${NAME}`] = json(404, { error: 'Cluster not found', reason: 'cluster_not_found' })
    for (const name of ['demo', NAME]) expect((await kobe('node', 'cancel', name)).code).toBe(0)
    expect(sent(`POST /v1/operations/${NAME}/cancel`)).toHaveLength(2)
    const cancelled = { ...OPERATION, phase: 'Cancelled', ended: true, nodes: [] }
    answers[`GET ${EVENTS}`] = stream(['operation', cancelled], ['end', {}])
    expect((await kobe('node', 'cancel', 'demo', '--wait')).code).toBe(0)
  })

  test('a name that is neither a cluster nor an operation is told so', async () => {
    answers['GET /v1/clusters/x'] = json(404, { error: 'Cluster not found', reason: 'cluster_not_found' })
    answers['GET /v1/operations/x'] = json(404, { error: 'Operation not found', reason: 'operation_not_found' })
    const { code, stderr } = await kobe('node', 'cancel', 'x')
    expect(code).toBe(4)
    expect(stderr).toContain('neither a cluster nor an operation is called x')
  })

  test('a cluster that nothing holds has nothing to cancel, and its last operation to explain', async () => {
    answers['GET /v1/clusters/demo'] = json(200, { ...CLUSTER, operation: undefined, state: 'Running' })
    answers['GET /v1/operations'] = json(200, { operations: [DONE] })
    expect(await kobe('node', 'cancel', 'demo')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('no operation holds demo: it is Running'),
    })
    expect((await kobe('node', 'explain', 'demo')).code).toBe(0)
  })
})

describe('cluster', () => {
  test('list and show', async () => {
    expect((await kobe('cluster', 'list')).stdout).toMatch(/^demo +Updating +3 +3 +2 +0 +Rollout demo-rollout-1/m)
    const { stdout } = await kobe('cluster', 'show', 'demo')
    expect(stdout).toMatch(/^workers +worker +3 +3 +2 +0 +2 +offering large$/m)
    expect(stdout).toMatch(/^worker-1 +workers +- +yes +- +Draining +offering$/m)
  })

  test('set stores and rolls nothing', async () => {
    answers['PATCH /v1/clusters/demo/settings'] = json(200, CLUSTER)
    const { stdout, stderr } = await kobe(
      'cluster',
      'set',
      'demo',
      '--group',
      'worker',
      '--affinity',
      '',
      '--unset',
      'root-disk',
    )
    expect(bodyOf('PATCH /v1/clusters/demo/settings')).toEqual({
      groups: { worker: { affinityGroups: [], rootDiskSizeGB: null } },
    })
    expect(stdout).toBe('demo: workers (worker): offering large\n')
    expect(stderr).toContain('`kobe node rollout demo` does it')
    expect(sent('POST /v1/operations')).toHaveLength(0)
  })

  test('create takes what the options do not say from a manifest', async () => {
    answers['POST /v1/clusters'] = json(201, CLUSTER)
    writeFileSync(join(dir, 'k.yaml'), 'kind: Config\n')
    writeFileSync(
      join(dir, 'c.yaml'),
      `kind: ManagedCluster
metadata: {name: other}
spec:
  connection: {kubeconfigSecretRef: {name: s}, endpoints: ["https://b"]}
  provider: {type: simulated, simulated: {configMap: m}}
  nodeGroups: [{name: control, type: control}]
  nodeTimeout: 5m
`,
    )
    const from = ['--file', 'c.yaml', '--group', 'big=worker']
    await kobe('cluster', 'create', 'demo', ...from)
    await kobe('cluster', 'create', 'demo', ...from, '--kubeconfig', 'k.yaml')
    const both = sent('POST /v1/clusters').map(({ body }) => JSON.parse(body))
    const common = {
      name: 'demo',
      endpoints: ['https://b'],
      provider: { type: 'simulated', simulated: { configMap: 'm' } },
      nodeGroups: [
        { name: 'control', type: 'control' },
        { name: 'big', type: 'worker' },
      ],
      nodeTimeout: '5m',
    }
    expect(both).toEqual([
      { ...common, kubeconfigSecret: 's' },
      { ...common, kubeconfig: 'kind: Config\n' },
    ])
  })

  test('destroy asks for the name, and does nothing with another one', async () => {
    const ask = (answer: string) => kobeWith({ ask: async () => answer }, 'cluster', 'destroy', 'demo', '--no-wait')
    expect((await ask('demos')).code).toBe(1)
    expect(sent('POST /v1/operations')).toHaveLength(0)
    expect((await ask('demo')).code).toBe(0)
    expect(bodyOf('POST /v1/operations')).toMatchObject({ cluster: 'demo', type: 'Destroy' })
  })
})

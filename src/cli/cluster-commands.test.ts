/** `kobe cluster`, and `kobe node` but its rollout, against a server whose answers each test writes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CliBench, inTurn, json, startCliBench } from '../../test/support/cli-bench.ts'
import {
  CANCELLED,
  CLUSTER,
  DONE,
  EVENTS_PATH,
  nodesApi,
  OPERATION,
  OPERATION_NAME,
  PLAN,
  stream,
} from '../../test/support/nodes-api.ts'

let bench: CliBench
beforeEach(async () => {
  bench = await startCliBench(nodesApi())
})
afterEach(() => bench[Symbol.asyncDispose]())

describe('node plan, status, explain, cancel', () => {
  test('plan lists nodes in their order with reasons, what blocks, what is left out, and the estimate', async () => {
    const { stdout } = await bench.kobe('node', 'plan', 'demo')
    expect(stdout).toMatch(/^Estimate +1m 30s \(the usual times of the provider\)$/m)
    expect(stdout).toMatch(
      /^1 +worker-1 +workers +offering small, wanted large +ZeroBudget default\/web-1 default\/web +1m 30s$/m,
    )
    expect(stdout).toMatch(/^1 +worker-2 +workers +offering small, wanted large +-$/m)
    expect(stdout).toMatch(/^worker-1 +blocked +default\/web-1 is held by PodDisruptionBudget default\/web$/m)
    expect(stdout).toMatch(/^worker-3 +DoNotDisrupt +it is annotated/m)
    expect(JSON.parse((await bench.kobe('node', 'plan', 'demo', '-o', 'json')).stdout)).toEqual(PLAN)
  })

  test('plan says what a rollout would be refused for, and that is no error', async () => {
    const refused = { reason: 'ClusterBusy', message: 'operation demo-2 (Rollout) holds the cluster' }
    bench.answers['POST /v1/clusters/demo/plan'] = json(200, { ...PLAN, refused, batches: [], totalNodes: 0 })
    const { code, stdout } = await bench.kobe('node', 'plan', 'demo')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Refused +ClusterBusy: operation demo-2/m)
    expect(stdout).toContain('Nothing to roll.')
  })

  test('status shows what goes on in a cluster node by node, or all operations', async () => {
    const one = (await bench.kobe('node', 'status', 'demo')).stdout
    expect(one).toContain('demo  Updating  Rollout rollout-1  Running')
    expect(one).toMatch(/worker-1 +workers +Draining/)
    expect((await bench.kobe('node', 'status')).stdout).toMatch(/^rollout-1 +demo +Rollout +Running +0\/2/m)
    expect((await bench.kobe('node', 'status', 'demo', '--follow')).code).toBe(0)
    expect(JSON.parse((await bench.kobe('node', 'status', OPERATION_NAME, '-o', 'json')).stdout)).toMatchObject({
      others: [],
    })
  })

  test('explain has the notes of the planner', async () => {
    expect((await bench.kobe('node', 'explain', 'demo')).stdout).toMatch(/^PreflightFailed +- +paused: control-2/m)
  })

  test('cancel takes the name of the cluster or of the operation, and can wait for the end', async () => {
    for (const name of ['demo', OPERATION_NAME]) expect((await bench.kobe('node', 'cancel', name)).code).toBe(0)
    expect(bench.sent(`POST /v1/operations/${OPERATION_NAME}/cancel`)).toHaveLength(2)
    bench.answers[`GET ${EVENTS_PATH}`] = stream(['operation', CANCELLED], ['end', {}])
    expect((await bench.kobe('node', 'cancel', 'demo', '--wait')).code).toBe(0)
  })

  test('cancel of an operation that has ended meanwhile is no error', async () => {
    const ended = { error: 'The operation has ended', reason: 'operation_ended' }
    bench.answers[`POST /v1/operations/${OPERATION_NAME}/cancel`] = json(409, ended)
    bench.answers[`GET /v1/operations/${OPERATION_NAME}`] = inTurn(json(200, OPERATION), json(200, DONE))
    const { code, stdout } = await bench.kobe('node', 'cancel', 'demo')
    expect(code).toBe(0)
    expect(stdout).toContain('has ended already: Succeeded')
  })

  test('a name that is neither a cluster nor an operation is told so', async () => {
    bench.answers['GET /v1/clusters/x'] = json(404, { error: 'Cluster not found', reason: 'cluster_not_found' })
    bench.answers['GET /v1/operations/x'] = json(404, { error: 'Operation not found', reason: 'operation_not_found' })
    const { code, stderr } = await bench.kobe('node', 'cancel', 'x')
    expect(code).toBe(4)
    expect(stderr).toContain('neither a cluster nor an operation is called x')
  })

  test('a cluster that nothing holds has nothing to cancel, and its last operation to explain', async () => {
    bench.answers['GET /v1/clusters/demo'] = json(200, { ...CLUSTER, operation: undefined, state: 'Running' })
    bench.answers['GET /v1/operations'] = json(200, { operations: [DONE] })
    expect(await bench.kobe('node', 'cancel', 'demo')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('no operation holds demo: it is Running'),
    })
    expect((await bench.kobe('node', 'explain', 'demo')).code).toBe(0)
  })
})

test.each([
  [['cluster', 'show', ''], 'demo\tUpdating\n:4\n'],
  [['node', 'cancel', 'roll'], 'rollout-1\tRollout of demo, Running\n:4\n'],
  [
    ['node', 'rollout', 'demo', '--group', 'w'],
    'workers\tgroup of type worker\nworker\tevery group of type worker\n:4\n',
  ],
])('completion after %j knows clusters, operations and groups', async (words, offered) => {
  expect((await bench.kobe('__complete', ...words)).stdout).toBe(offered)
})

describe('cluster', () => {
  test('list and show', async () => {
    expect((await bench.kobe('cluster', 'list')).stdout).toMatch(/^demo +Updating +3 +3 +2 +0 +Rollout rollout-1/m)
    const { stdout } = await bench.kobe('cluster', 'show', 'demo')
    expect(stdout).toMatch(/^workers +worker +3 +3 +2 +0 +2 +offering large$/m)
    expect(stdout).toMatch(/^worker-1 +workers +- +yes +- +Draining +offering$/m)
  })

  test('set stores and rolls nothing', async () => {
    bench.answers['PATCH /v1/clusters/demo/settings'] = json(200, CLUSTER)
    const { stdout, stderr } = await bench.kobe(
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
    expect(bench.bodyOf('PATCH /v1/clusters/demo/settings')).toEqual({
      groups: { worker: { affinityGroups: [], rootDiskSizeGB: null } },
    })
    expect(stdout).toBe('demo: workers (worker): offering large\n')
    expect(stderr).toContain('`kobe node rollout demo` does it')
    expect(bench.sent('POST /v1/operations')).toHaveLength(0)
  })

  test('create takes what the options do not say from a manifest', async () => {
    bench.answers['POST /v1/clusters'] = json(201, CLUSTER)
    writeFileSync(join(bench.dir, 'k.yaml'), 'kind: Config\n')
    writeFileSync(
      join(bench.dir, 'c.yaml'),
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
    await bench.kobe('cluster', 'create', 'demo', ...from)
    await bench.kobe('cluster', 'create', 'demo', ...from, '--kubeconfig', 'k.yaml')
    const both = bench.sent('POST /v1/clusters').map(({ body }) => JSON.parse(body))
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
    const ask = (answer: string) =>
      bench.kobeWith({ ask: async () => answer }, 'cluster', 'destroy', 'demo', '--no-wait')
    expect((await ask('demos')).code).toBe(1)
    expect(bench.sent('POST /v1/operations')).toHaveLength(0)
    expect((await ask('demo')).code).toBe(0)
    expect(bench.bodyOf('POST /v1/operations')).toMatchObject({ cluster: 'demo', type: 'Destroy' })
  })
})

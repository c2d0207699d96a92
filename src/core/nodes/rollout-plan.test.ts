import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../../test/support/seeded-random.ts'
import type { ManagedClusterInput, NodeType } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation, NodeOperationStatus } from '../../api/v1alpha1/node-operation.ts'
import { observeCluster } from '../simulate/nodes/observe.ts'
import { type NodesRun, runNodes } from '../simulate/nodes/run-nodes.ts'
import type { NodesWorld, SimMember } from '../simulate/nodes/world.ts'
import { T0 } from '../testing/builders.ts'
import {
  aManagedCluster,
  aMember,
  aNodeOperation,
  CAN_RESTART,
  type MemberOptions,
  observedNodes,
  stopped,
  upToDate,
} from '../testing/node-builders.ts'
import type { RolloutPlan, RolloutRequest } from './cluster-insight.ts'
import type { Member } from './model.ts'
import { planRollout, type RolloutObserved, withFindings } from './rollout-plan.ts'

const observed = (
  members: readonly Member[],
  spec: Partial<ManagedClusterInput['spec']> = {},
  over: Partial<RolloutObserved> = {},
): RolloutObserved => ({
  ...observedNodes(members),
  cluster: aManagedCluster(spec),
  operations: [],
  capabilities: CAN_RESTART,
  freezes: [],
  problems: new Map(),
  ...over,
})

const named = (names: readonly string[], over: MemberOptions = {}): Member[] => names.map((name) => aMember(name, over))
const control = named(['c1', 'c2', 'c3'])
const doneControl = named(['c1', 'c2', 'c3'], upToDate)

const orderOf = ({ batches }: RolloutPlan): string[][] => batches.map(({ nodes }) => nodes.map(({ name }) => name))

const plan = (
  members: readonly Member[],
  request: RolloutRequest = {},
  spec: Partial<ManagedClusterInput['spec']> = {},
  over: Partial<RolloutObserved> = {},
): RolloutPlan => planRollout(observed(members, spec, over), request, T0)

describe('the batches', () => {
  it('come in the order etcd, control, workers: stopped ones first, then marked ones, then by name', () => {
    const members = [
      ...named(['e1', 'e2', 'e3']),
      ...control,
      ...named(['w1', 'w2', 'w3']),
      aMember('w4', { node: { mark: 'boot-1', cordon: 'ours' } }),
      aMember('w5', stopped),
    ]
    expect(orderOf(plan(members, { maxUnavailable: 2 }))).toEqual([
      ...['e1', 'e2', 'e3', 'c1', 'c2', 'c3'].map((name) => [name]),
      ['w5', 'w4'],
      ['w1', 'w2'],
      ['w3'],
    ])
  })

  it('say of each node why it is restarted', () => {
    const members = [...doneControl, aMember('w1'), aMember('w2', { ...upToDate, ...stopped }), aMember('w3')]
    expect(plan(members).batches.flatMap(({ nodes }) => nodes)).toEqual([
      {
        name: 'w2',
        reasons: ['offering v1, wanted v2', 'its machine is stopped'],
        leftover: true,
        findings: [],
      },
      { name: 'w1', reasons: ['offering v1, wanted v2'], findings: [] },
      { name: 'w3', reasons: ['offering v1, wanted v2'], findings: [] },
    ])
  })

  it('tell what a batch would wait for, and go on as if it were mended', () => {
    const sick = aMember('w9', { machine: { settings: { offering: 'v2' } }, node: { ready: false } })
    const { batches, notes } = plan([...doneControl, ...named(['w1', 'w2']), sick])
    expect(batches.map(({ waitsFor }) => waitsFor)).toEqual([
      ['0 of 2 left in group worker; at most 1 unavailable, 1 are', '1 other node(s) are not Ready: w9'],
      [],
    ])
    expect(notes.map(({ level, message }) => `${level} ${message}`)).toContain(
      'Warning before w1: 1 other node(s) are not Ready: w9',
    )
  })

  it('name nodes that stay cordoned, and machines that are neither up nor down', () => {
    const members = [
      ...doneControl,
      aMember('w1', { node: { cordon: 'foreign' } }),
      aMember('w2', { machine: { state: 'Error' }, node: { ready: false } }),
      aMember('w3', upToDate),
    ]
    expect(plan(members, { maxUnavailable: 2 }).notes.map(({ reason, about }) => [reason, about?.name])).toEqual([
      ['ForeignCordon', 'w1'],
      ['PreflightFailed', 'w2'],
    ])
  })

  it('begin with a canary where the cluster asks for one', () => {
    const members = [...doneControl, ...named(['w1', 'w2', 'w3', 'w4', 'w5'])]
    expect(orderOf(plan(members, { maxUnavailable: 3 }, { pace: { canary: 'One' } }))).toEqual([
      ['w1'],
      ['w2', 'w3', 'w4'],
      ['w5'],
    ])
  })
})

describe('what is not rolled', () => {
  it('types that can lose no node are left out, and their groups skipped with the reason', () => {
    const result = plan([aMember('c1'), ...named(['w1', 'w2'])])
    expect(orderOf(result)).toEqual([['w1'], ['w2']])
    expect(result.leftOut).toMatchObject([{ node: 'c1', reason: 'CannotLoseNode' }])
    expect(result.groups).toMatchObject([
      { name: 'etcd', nodes: 0, outOfDate: 0 },
      { name: 'control', nodes: 1, outOfDate: 1, skipped: 'the only control node: no other serves the API meanwhile' },
      { name: 'worker', nodes: 2, outOfDate: 2 },
    ])
  })

  it('the only worker, unless that is asked for', () => {
    expect(plan([...doneControl, aMember('w1')]).leftOut).toMatchObject([{ node: 'w1', reason: 'LastWorker' }])
    expect(orderOf(plan([...doneControl, aMember('w1')], { allowLastWorker: true }))).toEqual([['w1']])
  })

  it('what is not selected', () => {
    const result = plan([...control, ...named(['w1', 'w2'])], { selector: { names: ['w2'] } })
    expect(orderOf(result)).toEqual([['w2']])
    expect(result.groups.find(({ name }) => name === 'control')?.skipped).toBe('none of its nodes is selected')
  })
})

describe('refusals', () => {
  it.each<[string, Partial<RolloutObserved>, RolloutRequest, { reason: string; message: string }]>([
    [
      'another operation holds the cluster',
      {
        cluster: aManagedCluster(
          {},
          {
            state: 'Updating',
            operation: { name: 'first', uid: 'x', type: 'Rollout', startedAt: '2026-01-05T12:00:00Z', from: 'Running' },
          },
        ),
      },
      {},
      {
        reason: 'ClusterBusy',
        message: 'operation first (Rollout) holds the cluster since 2026-01-05T12:00:00Z',
      },
    ],
    [
      'no transition',
      { cluster: aManagedCluster({}, { state: 'Stopped' }) },
      {},
      {
        reason: 'StateRefused',
        message: 'the cluster is Stopped; an operation of type Rollout starts from Running, Alert',
      },
    ],
    [
      'a disk would shrink',
      {},
      { settings: { worker: { rootDiskSizeGB: 10 } } },
      {
        reason: 'SettingsRefused',
        message: 'group worker: the disk of w1 has 20 GB and cannot shrink to 10 GB: want 20 GB or more',
      },
    ],
    [
      'an unknown group',
      {},
      { settings: { wrkr: {} } },
      { reason: 'SettingsRefused', message: 'there is no node group or type wrkr' },
    ],
    [
      'nothing could be read',
      { nodesKnown: false },
      {},
      { reason: 'NoData', message: 'the nodes or the machines could not be read: nothing can be planned' },
    ],
  ])('%s', (_what, over, request, refused) => {
    expect(plan([...doneControl, ...named(['w1', 'w2'])], request, {}, over).refused).toEqual(refused)
  })

  it('a type that can lose none would come to differ; the rest is told all the same', () => {
    const members = [aMember('c1', upToDate), ...named(['w1', 'w2'])]
    const result = plan(members, { settings: { control: { offering: 'v3' } } })
    expect(result.refused?.message).toBe(
      'group control: c1 would have to be restarted: the only control node: no other serves the API meanwhile',
    )
    expect(orderOf(result)).toEqual([['w1'], ['w2']])
  })
})

describe('the estimate', () => {
  const ended = (minutes: number, batches: number, over: Partial<NodeOperationStatus> = {}): NodeOperation =>
    aNodeOperation(
      {},
      {
        status: {
          phase: 'Succeeded',
          startedAt: '2026-01-05T12:00:00Z',
          finishedAt: `2026-01-05T12:${String(minutes).padStart(2, '0')}:00Z`,
          counts: { total: 9, done: 9, outOfDate: 0, inFlight: 0, failed: 0, skipped: 0, batches },
          ...over,
        },
      },
    )
  const members = [...doneControl, ...named(['w1', 'w2'])]

  it.each<[string, Partial<RolloutObserved>, number, string]>([
    [
      'of what earlier rollouts took',
      { operations: [ended(10, 5), ended(30, 5), ended(59, 1, { phase: 'Failed' })] },
      2 * 360_000,
      '6m a batch, the median of 2 earlier rollout(s)',
    ],
    [
      'of what the provider expects',
      { capabilities: { ...CAN_RESTART, restartMs: 90_000 } },
      2 * 120_000,
      'no rollout before: a restart of 1m30s, as the provider expects, and a drain of 30s',
    ],
    ['of the timeout, otherwise', {}, 2 * 1_800_000, 'no rollout before: at most nodeTimeout (1800s) a batch'],
  ])('%s', (_what, over, ms, basis) => {
    expect(plan(members, {}, {}, over)).toMatchObject({ totalNodes: 2, estimateMs: ms, estimateBasis: basis })
  })
})

it('what the drain of a node would meet stands with the node', () => {
  const finding = {
    kind: 'ZeroBudget' as const,
    node: 'w2',
    pods: ['a/b'],
    budgets: ['a/c'],
    blocks: true,
    message: 'no',
  }
  const { batches } = withFindings(plan([...doneControl, ...named(['w1', 'w2'])]), [finding])
  const { node: _name, ...rest } = finding
  expect(batches.flatMap(({ nodes }) => nodes.map(({ findings }) => findings))).toEqual([[], [rest]])
})

interface Generated {
  readonly world: NodesWorld
  readonly request: RolloutRequest
}

/** A small cluster with what an earlier run, a person or an outage may have left. */
function generated(seed: number): Generated {
  const random = seededRandom(seed)
  const chance = (share: number): boolean => random() < share
  const pick = <T>(...from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const sizes = { etcd: pick(0, 0, 3), control: pick(1, 3, 3), worker: pick(1, 2, 4, 7) }
  // Most clusters have no node that nobody brings back: those would only wait.
  const mishaps = chance(0.2) ? 0.15 : 0
  const member = (type: NodeType, at: number): SimMember => {
    // One API server at least: without any, a run waits for it and never ends.
    const isDown = chance(0.15) && !(type === 'control' && at === 1)
    const boot = 2
    const held = !isDown && chance(0.15)
    return {
      name: `${type}-${at}`,
      type,
      group: type === 'worker' && at % 3 === 2 ? 'others' : type,
      zone: pick('a', 'b'),
      machine: {
        state: isDown ? 'Stopped' : 'Running',
        settings: { offering: pick('v1', 'v1', 'v2'), rootDiskSizeGB: 20 },
        boot,
      },
      ...(type === 'etcd'
        ? {}
        : {
            node: {
              uid: `${type}-${at}`,
              version: 1,
              ready: !isDown && !chance(mishaps),
              boot,
              pods: chance(0.3) ? 1 : 0,
              ...(held ? { mark: pick(1, 2), cordon: 'ours' as const, owned: true as const } : {}),
              ...(!held && chance(0.1) ? { cordon: 'foreign' as const } : {}),
              ...(chance(0.08) ? { doNotDisrupt: true as const } : {}),
            },
          }),
    }
  }
  const of = (type: NodeType): SimMember[] => Array.from({ length: sizes[type] }, (_none, at) => member(type, at + 1))
  const members = [...of('control'), ...of('etcd'), ...of('worker')].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const request: RolloutRequest = {
    maxUnavailable: pick<number | string>(1, 2, 3, '50%'),
    allowLastWorker: chance(0.5),
    ...(chance(0.2) ? { selector: { zones: ['a'] } } : {}),
  }
  const cluster = aManagedCluster({
    nodeGroups: (
      [
        ['etcd', 'etcd'],
        ['control', 'control'],
        ['others', 'worker', ['worker-2', 'worker-5']],
        ['worker', 'worker'],
      ] as const
    ).map(([name, type, names]) => ({
      name,
      type,
      settings: { offering: 'v2' },
      ...(names === undefined ? {} : { selector: { names: [...names] } }),
    })),
    nodeTimeout: '300s',
    pace: { canary: pick('One', 'OnePerZone', 'Off') },
    ...(chance(0.3) ? { order: ['worker', 'control'] } : {}),
  })
  const operation = aNodeOperation({ ...request } as Partial<NodeOperation['spec']>, { metadata: { finalizers: [] } })
  return {
    request,
    world: {
      now: T0,
      serial: 100,
      cluster,
      operations: [operation],
      members,
      freezes: [],
      rules: {},
      attempted: new Map(),
      violations: [],
    },
  }
}

function foreseen({ world, request }: Generated): RolloutPlan {
  return planRollout(
    { ...observeCluster(world), operations: [], capabilities: CAN_RESTART, freezes: [], problems: new Map() },
    request,
    world.now,
  )
}

describe('what is foreseen is what happens', { timeout: 120_000 }, () => {
  const CLUSTERS = 200
  const cases = Array.from({ length: CLUSTERS }, (_none, seed) => seed)
  const runs = new Map<number, { plan: RolloutPlan; run: NodesRun }>()
  const of = (seed: number): { plan: RolloutPlan; run: NodesRun } => {
    const known = runs.get(seed) ?? { plan: foreseen(generated(seed)), run: runNodes(generated(seed).world) }
    runs.set(seed, known)
    return known
  }

  it(`the batches of a run are those of its plan, in its order, in ${CLUSTERS} generated clusters (C13, C14, C15)`, () => {
    let waiting = 0
    let withWork = 0
    for (const seed of cases) {
      const { plan: told, run } = of(seed)
      const [order, taken] = [orderOf(told), run.batches.map((batch) => [...batch])]
      const firstWait = told.batches.findIndex(({ waitsFor }) => waitsFor.length > 0)
      if (firstWait >= 0) waiting += 1
      if (order.length > 0) withWork += 1
      const sure = firstWait < 0 ? order : order.slice(0, firstWait)
      expect({ seed, batches: taken.slice(0, sure.length) }).toEqual({ seed, batches: sure })
      // Where nothing has to be mended, there is no more to the run than was told.
      if (firstWait < 0) expect({ seed, batches: taken }).toEqual({ seed, batches: order })
    }
    expect(withWork).toBeGreaterThan(CLUSTERS / 2)
    expect(withWork - waiting).toBeGreaterThan(CLUSTERS / 3)
  })

  it('what a plan leaves out, the run names at its end', () => {
    for (const seed of cases) {
      const { plan: told, run } = of(seed)
      if (run.world.operations[0]?.status?.phase !== 'Succeeded') continue
      const { lastError = '' } = run.world.cluster.status ?? {}
      for (const { node, message } of told.leftOut)
        expect({ seed, lastError }).toMatchObject({
          lastError: expect.stringContaining(`${node}: ${message}`),
        })
    }
  })
})

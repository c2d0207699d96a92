import { describe, expect, it } from 'vitest'
import { createHealthWorld, type HealthWorld, HOLDER } from '../../../../test/support/health-world.ts'
import type { OperationHolder } from '../../../api/v1alpha1/managed-cluster.ts'
import type { DisruptionBudget } from '../../../core/drain/model.ts'
import { aMember } from '../../../core/testing/node-builders.ts'

const BATCH: OperationHolder = {
  ...HOLDER,
  batch: { startedAt: HOLDER.startedAt, group: 'worker', nodes: [{ name: 'w1' }] },
}
const member = (name: string, healthy: boolean) => ({ name, healthy, voter: true })
const budget = (status: DisruptionBudget['status']): DisruptionBudget => ({
  metadata: { name: 'web', namespace: 'default', generation: 2 },
  status: {
    observedGeneration: 2,
    expectedPods: 3,
    currentHealthy: 3,
    desiredHealthy: 2,
    disruptionsAllowed: 1,
    ...status,
  },
})
const budgets = (status: DisruptionBudget['status']) => (world: HealthWorld) =>
  world.objects.set('poddisruptionbudgets', [budget(status)])
const out = (world: HealthWorld) => Object.assign(world, { session: undefined })

type Type = 'nodesReady' | 'machinesRunning' | 'etcdQuorum' | 'pdbHeadroom'

describe.each<[Type, [string, (world: HealthWorld) => void, string][]]>([
  [
    'nodesReady',
    [
      ['well', () => undefined, 'well'],
      [
        'a node that is not Ready',
        (world) => (world.members = [aMember('w1', { node: { ready: false } })]),
        '1 not Ready: w1',
      ],
      ['a machine without its node', (world) => (world.members = [aMember('w1', { node: null })]), '1 not Ready: w1'],
      ['machines of an external etcd have no node', (world) => (world.members = [aMember('e1')]), 'well'],
      [
        'nodes of the batch',
        (world) => Object.assign(world, { members: [aMember('w1', { node: { ready: false } })], holder: BATCH }),
        'well',
      ],
      ['no data', (world) => (world.facts = { nodesKnown: false }), 'the nodes could not be read'],
    ],
  ],
  [
    'machinesRunning',
    [
      ['well', () => undefined, 'well'],
      [
        'one stopped',
        (world) => (world.members = [aMember('w2', { machine: { state: 'Stopped' } })]),
        '1 not running: w2',
      ],
      [
        'one that the run brings back',
        (world) =>
          Object.assign(world, { members: [aMember('w2', { machine: { state: 'Stopped' } })], holder: HOLDER }),
        'well',
      ],
      ['no data', (world) => (world.facts = { machinesKnown: false }), 'the machines could not be read'],
    ],
  ],
  [
    'etcdQuorum',
    [
      ['no data', () => undefined, 'nothing is known of the health of etcd'],
      [
        'no quorum',
        (world) =>
          (world.facts = {
            etcd: { ready: true, members: [member('a', true), member('b', false), member('c', false)] },
          }),
        '1 of 3 etcd members are healthy, 2 are needed; sick: b, c',
      ],
      [
        'quorum',
        (world) =>
          (world.facts = {
            etcd: { ready: true, members: [member('a', true), member('b', true), member('c', false)] },
          }),
        'well',
      ],
      [
        'not ready',
        (world) => (world.facts = { etcd: { ready: false, members: [member('a', true)] } }),
        'etcd does not report ready',
      ],
      [
        'no members',
        (world) => (world.facts = { etcd: { ready: true, members: [] } }),
        '0 of 0 etcd members are healthy, 1 are needed; sick: none',
      ],
    ],
  ],
  [
    'pdbHeadroom',
    [
      ['room', budgets({}), 'well'],
      ['no room', budgets({ disruptionsAllowed: 0 }), '1 budgets that allow no eviction: default/web'],
      [
        'no room in the middle of a batch',
        (world) => {
          budgets({ disruptionsAllowed: 0 })(world)
          world.holder = BATCH
        },
        'well',
      ],
      ['too few healthy', budgets({ currentHealthy: 1 }), '1 budgets without their healthy pods: default/web'],
      ['no pods', budgets({ expectedPods: 0, desiredHealthy: 0, disruptionsAllowed: 0 }), 'well'],
      ['not counted', budgets({ observedGeneration: 1 }), '1 budgets that nobody has counted yet: default/web'],
      ['no data', out, 'the budgets could not be read'],
    ],
  ],
])('%s', (type, cases) => {
  it.each(cases)('%s', (_, arrange, message) => {
    const world = createHealthWorld()
    arrange(world)
    expect(world.look({ name: 'check', type })).toEqual({ name: 'check', passes: message === 'well' ? 1 : 0, message })
  })
})

describe('controlPlane', () => {
  const check = { name: 'api', type: 'controlPlane' as const }

  it('asks the API server for each of its own checks', async () => {
    const world = createHealthWorld()
    await world.settled(check)
    expect(world.kube.calls).toContainEqual({ verb: 'raw', resource: '/readyz?verbose', name: 'GET' })
  })

  it('is unhealthy without an answer', async () => {
    const world = createHealthWorld()
    world.session = undefined
    expect(await world.settled(check)).toMatchObject({ passes: 0, message: 'the API of the cluster cannot be reached' })
  })
})

describe('cel', () => {
  const CUT_OFF = 'the expression was not evaluated within 250 ms'
  /** A process that gets no time for so long is no fault of the expression. */
  async function evaluated(world: HealthWorld, expression: string): Promise<string> {
    for (let tries = 0; tries < 5; tries += 1) {
      const { message } = world.look(cel(expression))
      if (message !== CUT_OFF) return message
      await world.clock.advance(1_000)
    }
    return CUT_OFF
  }
  const cel = (expression: string) => ({ name: 'cel', type: 'cel' as const, cel: { expression } })
  const pod = (n: number) => ({ metadata: { name: `p${n}`, namespace: 'default' }, status: { phase: 'Running' } })

  it.each([
    ['groups.all(g, g.ready == g.nodes) && size(machines) == 2', 'well'],
    ["pods.filter(p, p.status.phase == 'Running').size() >= 3", 'well'],
    ['machines.exists(m, has(m.zone))', 'the expression is false'],
    ['size(nodes)', 'the expression gives no true or false'],
    ['nodes.all(n', 'the expression cannot be evaluated: Expected RPAREN, got EOF'],
    ['pods[7].spec == 1', 'the expression cannot be evaluated: No such key: index out of bounds, index 7 >= size 3'],
    ['secrets.size() == 0', 'the expression cannot be evaluated: Unknown variable: secrets'],
  ])('%s: %s', async (expression, message) => {
    const world = createHealthWorld()
    world.objects.set('pods', [pod(1), pod(2), pod(3)])
    expect(await evaluated(world, expression)).toBe(message)
  })

  it('is cut off when it takes too long', () => {
    const world = createHealthWorld()
    world.objects.set(
      'pods',
      Array.from({ length: 5_000 }, (_, n) => pod(n)),
    )
    const all = 'pods.all(p, pods.all(q, p.metadata.name != q.status.phase))'
    expect(world.look(cel(all)).message).toBe(CUT_OFF)
  })

  it('is unhealthy without data', () => {
    const world = createHealthWorld()
    out(world)
    expect(world.look(cel('true')).message).toBe('the objects of the cluster could not be read')
  })
})

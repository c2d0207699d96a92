import { describe, expect, it } from 'vitest'
import { T0 } from '../testing/builders.ts'
import { aMember, type HeldOptions, healthyEtcd, heldNodes, stopped, upToDate } from '../testing/node-builders.ts'
import type { EtcdFacts, Member, NodesObserved } from './model.ts'
import { preflight } from './preflight.ts'
import { runFacts } from './run-facts.ts'

function problems(members: readonly Member[], going: readonly string[], options: HeldOptions = {}): string[] {
  const observed = heldNodes(members, options)
  const facts = runFacts(observed, observed.cluster.status!.operation!, T0)
  const chosen = members.filter(({ name }) => going.includes(name))
  return preflight(facts, chosen).map(({ reason, message }) => `${reason}: ${message}`)
}

const stacked = [...['c1', 'c2', 'c3'].map((name) => aMember(name)), aMember('w1'), aMember('w2')]
const external = ['e1', 'e2', 'e3', 'c1', 'c2', 'w1', 'w2'].map((name) => aMember(name))

const replaced = (members: readonly Member[], ...by: Member[]): Member[] =>
  members.map((member) => by.find(({ name }) => name === member.name) ?? member)

const etcd = (members: readonly Member[], change: (facts: EtcdFacts) => EtcdFacts): Partial<NodesObserved> => ({
  etcd: change(healthyEtcd(members)),
})

const sick =
  (...names: string[]) =>
  (facts: EtcdFacts): EtcdFacts => ({
    ...facts,
    members: facts.members.map((member) => ({ ...member, healthy: !names.includes(member.name) })),
  })

describe('C16: the rest of the cluster', () => {
  it('C16: a cluster that is well lets a node go', () => {
    for (const name of ['c1', 'w1']) expect(problems(stacked, [name])).toEqual([])
    for (const name of ['e1', 'c1', 'w1']) expect(problems(external, [name])).toEqual([])
  })

  it.each<[string, Member, string]>([
    ['a stopped machine', aMember('w2', { ...upToDate, machine: { ...upToDate.machine, state: 'Stopped' } }), ''],
    [
      'a machine on its way',
      aMember('w2', { machine: { state: 'Starting' } }),
      'PreflightFailed: 1 other machine(s) do not run: w2',
    ],
    [
      'a machine that is not shown',
      aMember('w2', { machine: null }),
      'PreflightFailed: 1 other machine(s) do not run: w2',
    ],
    [
      'a node that is not Ready',
      aMember('w2', { node: { ready: false } }),
      'PreflightFailed: 1 other node(s) are not Ready: w2',
    ],
    [
      'a node that never registered',
      aMember('w2', { node: null }),
      'PreflightFailed: 1 other node(s) are not Ready: w2',
    ],
  ])('C16: %s', (_name, other, expected) => {
    expect(problems(replaced(stacked, other), ['w1'])).toEqual(expected === '' ? [] : [expected])
  })

  it('C16: the nodes of the batch themselves may be down', () => {
    expect(problems(replaced(stacked, aMember('w1', stopped)), ['w1'])).toEqual([])
  })

  it('leftovers of an earlier run do not fail it', () => {
    expect(problems(replaced(stacked, aMember('w2', stopped)), ['w1'])).toEqual([])
    const marked = aMember('w2', { node: { ready: false, mark: 'boot-0', cordon: 'ours' } })
    expect(problems(replaced(stacked, marked), ['w1'])).toEqual([])
  })

  it('a leftover that this run leaves out fails it', () => {
    const kept = aMember('w2', { ...stopped, node: { ready: false, doNotDisrupt: true } })
    expect(problems(replaced(stacked, kept), ['w1'])).toEqual(['PreflightFailed: 1 other machine(s) do not run: w2'])
  })

  it('all that is wrong is told', () => {
    const members = replaced(
      stacked,
      aMember('w2', { node: { ready: false } }),
      aMember('c2', { machine: { state: 'Error' } }),
    )
    expect(problems(members, ['w1'])).toHaveLength(2)
  })

  it('no data is a problem', () => {
    expect(problems(stacked, ['w1'], { over: { nodesKnown: false } })).toEqual(['NoData: the nodes could not be read'])
    expect(problems(stacked, ['w1'], { over: { machinesKnown: false } })).toEqual([
      'NoData: the machines could not be read',
    ])
  })
})

describe('C16: etcd', () => {
  it.each<[string, string, Partial<NodesObserved>, string]>([
    [
      'one of the other two is not healthy',
      'c1',
      etcd(stacked, sick('c2')),
      '1 of the 2 other etcd members are healthy, 2 are needed',
    ],
    ['the one that goes may be sick', 'c1', etcd(stacked, sick('c1')), ''],
    [
      'etcd does not report ready',
      'c1',
      etcd(stacked, (facts) => ({ ...facts, ready: false })),
      'etcd does not report ready',
    ],
    ['nothing is known', 'c1', { etcd: undefined }, 'nothing is known of the health of etcd'],
    [
      'a member that is none of the machines',
      'c1',
      etcd(stacked, (facts) => ({
        ...facts,
        members: [...facts.members, { name: 'ghost', healthy: true, voter: true }],
      })),
      'etcd has a member ghost that is none of the machines',
    ],
    [
      'a machine that is not a member',
      'c1',
      etcd(stacked, (facts) => ({ ...facts, members: facts.members.filter(({ name }) => name !== 'c3') })),
      'c3 is not a voting member of etcd',
    ],
    [
      'a member that does not vote yet',
      'c1',
      etcd(stacked, (facts) => ({
        ...facts,
        members: facts.members.map((member) => (member.name === 'c3' ? { ...member, voter: false } : member)),
      })),
      'c3 is not a voting member of etcd',
    ],
  ])('C16: %s', (_name, going, over, expected) => {
    const found = problems(stacked, [going], { over })
    expect(found).toEqual(expected === '' ? [] : [`QuorumAtRisk: ${going}: ${expected}`])
  })

  it('C16: workers do not ask for the quorum', () => {
    expect(problems(stacked, ['w1'], { over: etcd(stacked, sick('c2')) })).toEqual([])
  })

  it('C16: with an external etcd, control nodes do not, and machines of etcd do', () => {
    const over = etcd(external, sick('e2'))
    expect(problems(external, ['c1'], { over })).toEqual([])
    expect(problems(external, ['e1'], { over })[0]).toContain('QuorumAtRisk')
  })

  it('C16: another control node has to serve the API', () => {
    const over = { serving: new Set(['c1']) }
    expect(problems(external, ['c1'], { over })).toEqual(['PreflightFailed: no other control node serves the API'])
    expect(problems(external, ['e1'], { over: { serving: new Set<string>() } })).toEqual([
      'PreflightFailed: no other control node serves the API',
    ])
    expect(problems(external, ['e1'], { over })).toEqual([])
  })
})

describe('health checks', () => {
  const spec = { healthChecks: [{ name: 'probe', type: 'workloads' as const }], pace: { consecutive: 2 } }
  const health = (passes: number) => ({ health: [{ name: 'probe', passes, message: '2 Pods pending' }] })

  it('have to pass so many times in a row', () => {
    expect(problems(stacked, ['w1'], { spec, over: health(2) })).toEqual([])
    expect(problems(stacked, ['w1'], { spec, over: health(1) })).toEqual([
      'HealthCheckFailing: health check probe: 1 of 2 passes in a row: 2 Pods pending',
    ])
  })

  it('without data count as failing', () => {
    expect(problems(stacked, ['w1'], { spec })[0]).toContain('no data')
  })
})

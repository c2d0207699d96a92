import { describe, expect, it } from 'vitest'
import { T0 } from '../testing/builders.ts'
import { aManagedCluster, aMember, type HeldOptions, heldNodes, stopped, upToDate } from '../testing/node-builders.ts'
import { resolveAmount } from './budget.ts'
import type { Member } from './model.ts'
import { orderedGroups, pickBatch, workOf } from './pick-batch.ts'
import { runFacts } from './run-facts.ts'

function factsOf(members: readonly Member[], options: HeldOptions = {}) {
  const observed = heldNodes(members, options)
  return runFacts(observed, observed.cluster.status!.operation!, T0)
}

function pick(members: readonly Member[], options: HeldOptions = {}): string[] | undefined {
  const facts = factsOf(members, options)
  return pickBatch(facts, workOf(facts))?.members.map(({ name }) => name)
}

const leftOut = (members: readonly Member[], options: HeldOptions = {}) =>
  workOf(factsOf(members, options)).leftOut.map(({ name, reason }) => [name, reason])

const control = ['c1', 'c2', 'c3'].map((name) => aMember(name, upToDate))
const some = (...names: string[]): Member[] => names.map((name) => aMember(name))
const workers = (number: number): Member[] => some(...Array.from({ length: number }, (_none, at) => `w${at + 1}`))

describe('C13: order', () => {
  const names = (options: HeldOptions = {}) => orderedGroups(factsOf([], options)).map(({ name }) => name)

  it('C13: etcd, then control, then workers', () => {
    expect(names()).toEqual(['etcd', 'control', 'worker'])
    expect(pick([...some('w1', 'w2', 'c1', 'c2'), ...some('e1', 'e2', 'e3')])).toEqual(['e1'])
    expect(pick([...workers(2), ...some('c1', 'c2', 'c3')])).toEqual(['c1'])
  })

  it('explicit tiers of groups go in their order, the rest after them', () => {
    const nodeGroups = [
      { name: 'gpu', type: 'worker' as const },
      { name: 'small', type: 'worker' as const },
      { name: 'control', type: 'control' as const },
    ]
    expect(names({ spec: { nodeGroups, order: ['small'] } })).toEqual(['small', 'control', 'gpu'])
    expect(names({ spec: { nodeGroups, order: ['worker', 'control'] } })).toEqual(['gpu', 'small', 'control'])
  })
})

describe('C14: size of a batch', () => {
  it.each<[number, number | string, number]>([
    [1, 1, 1],
    [1, 5, 1],
    [2, 1, 1],
    [2, 2, 1],
    [3, 2, 2],
    [3, 3, 2],
    [5, 3, 3],
    [5, 9, 4],
    [10, '10%', 1],
    [10, '25%', 2],
    [10, '29%', 2],
    [10, '100%', 9],
    [3, '10%', 1],
  ])('C14: of %i workers with maxUnavailable %s, %i go at a time', (number, maxUnavailable, size) => {
    const options = { operation: { maxUnavailable, allowLastWorker: true } }
    expect(pick([...control, ...workers(number)], options)).toHaveLength(size)
  })

  it('C13: control and etcd nodes go one at a time, whatever is asked for', () => {
    expect(pick([...some('c1', 'c2', 'c3', 'c4', 'c5')], { operation: { maxUnavailable: 5 } })).toEqual(['c1'])
    expect(pick([...control, ...some('e1', 'e2', 'e3')], { operation: { maxUnavailable: 3 } })).toEqual(['e1'])
  })

  it.each<[number | string, number, number]>([
    [2, 10, 2],
    ['33%', 10, 3],
    ['1%', 10, 1],
    ['100%', 10, 10],
  ])('%s of %i is %i: percentages are rounded down, at least 1', (amount, of, result) => {
    expect(resolveAmount(amount, of)).toBe(result)
  })

  it('nodes that are unavailable for any other cause use up the budget', () => {
    const members = [...control, ...workers(3), aMember('w4', { ...upToDate, node: { ready: false } })]
    expect(pick(members, { operation: { maxUnavailable: 2 } })).toEqual(['w1'])
    expect(pick(members, { operation: { maxUnavailable: 1 } })).toEqual([])
  })

  it('no batch is larger than what a status can hold', () => {
    expect(pick([...control, ...workers(2_000)], { operation: { maxUnavailable: '50%' } })).toHaveLength(250)
  })
})

describe('a worker stays', () => {
  it('the only worker is left out unless allowLastWorker is set', () => {
    expect(leftOut([...control, ...workers(1)])).toEqual([['w1', 'LastWorker']])
    expect(pick([...control, ...workers(1)], { operation: { allowLastWorker: true } })).toEqual(['w1'])
  })

  it('an only worker that is stopped is brought back all the same', () => {
    expect(pick([...control, aMember('w1', stopped)])).toEqual(['w1'])
  })
})

describe('C15: what goes first', () => {
  it('C15: stopped nodes first, then those that are not Ready, then marked ones', () => {
    const members = [
      ...control,
      aMember('w1'),
      aMember('w2', { node: { mark: 'boot-0', cordon: 'ours' } }),
      aMember('w3', { node: { ready: false } }),
      aMember('w4', stopped),
    ]
    const [{ candidates } = { candidates: [] }] = workOf(factsOf(members)).queue
    expect(candidates.map(({ name }) => name)).toEqual(['w4', 'w3', 'w2', 'w1'])
  })

  it('C15: two stopped workers do not wait for each other', () => {
    const members = [...control, aMember('w1'), aMember('w2', stopped), aMember('w3', stopped)]
    expect(pick(members)).toEqual(['w2'])
  })

  it('C15: a stopped node that is up to date is work too', () => {
    expect(pick([...control, aMember('w1', { ...upToDate, ...stopped }), aMember('w2', upToDate)])).toEqual(['w1'])
  })

  it('the node that the operator runs on goes last', () => {
    expect(pick([...control, aMember('w1', { node: { holdsOperator: true } }), ...some('w2', 'w3')])).toEqual(['w2'])
  })
})

describe('C10: types that can lose no node', () => {
  it.each<[string, Member[], string[]]>([
    ['one control node', some('c1', 'w1', 'w2'), ['c1']],
    ['two control nodes with etcd on them', some('c1', 'c2', 'w1', 'w2'), ['c1', 'c2']],
    ['one machine of etcd', some('e1', 'c1', 'c2', 'w1', 'w2'), ['e1']],
    ['two machines of etcd', some('e1', 'e2', 'c1', 'c2', 'w1', 'w2'), ['e1', 'e2']],
    ['one control node and three machines of etcd', some('e1', 'e2', 'e3', 'c1', 'w1', 'w2'), ['c1']],
    ['two control nodes and three machines of etcd', some('e1', 'e2', 'e3', 'c1', 'c2', 'w1', 'w2'), []],
  ])('C10: %s: they are left out, and the others are rolled', (_name, members, out) => {
    expect(leftOut(members)).toEqual(out.map((name) => [name, 'CannotLoseNode']))
    expect(workOf(factsOf(members)).queue.map(({ group }) => group.name)).toContain('worker')
  })
})

describe('what is left out', () => {
  it('a node annotated do-not-disrupt', () => {
    expect(leftOut([...control, aMember('w1', { node: { doNotDisrupt: true } }), aMember('w2')])).toEqual([
      ['w1', 'DoNotDisrupt'],
    ])
  })

  it('what the operation does not select is not touched and not named', () => {
    const options = { operation: { selector: { names: ['w2'] } } }
    expect(pick([...control, ...workers(3)], options)).toEqual(['w2'])
    expect(leftOut([...control, ...workers(3)], options)).toEqual([])
  })
})

describe('the first batch', () => {
  const canary = (what: 'One' | 'OnePerZone' | 'Off'): HeldOptions => ({
    spec: { pace: { canary: what } },
    operation: { maxUnavailable: 3 },
  })
  const zoned = ['a', 'a', 'b', 'b', 'c'].map((zone, at) => aMember(`w${at + 1}`, { zone }))

  it('is one node, when none of the group is up to date yet', () => {
    expect(pick([...control, ...zoned], canary('One'))).toEqual(['w1'])
    expect(pick([...control, ...zoned, aMember('w9', upToDate)], canary('One'))).toEqual(['w1', 'w2', 'w3'])
  })

  it('is one of each zone when asked for', () => {
    expect(pick([...control, ...zoned], canary('OnePerZone'))).toEqual(['w1', 'w3', 'w5'])
  })

  it('is as large as any when that is asked for', () => {
    expect(pick([...control, ...zoned], canary('Off'))).toEqual(['w1', 'w2', 'w3'])
  })
})

it('the spec of a test cluster has the documented defaults', () => {
  expect(aManagedCluster().spec).toMatchObject({
    nodeTimeout: '1800s',
    drain: { timeout: '300s', onTimeout: 'Fail' },
    order: ['etcd', 'control', 'worker'],
  })
})

import { describe, expect, test } from 'vitest'
import { aLease, SECOND, T0 } from '../testing/builders.ts'
import { positionToRecord, queueOrder, requesterKey } from './queue.ts'

const waiting = (name: string, requester: string, second = 0, priority = 50) =>
  aLease({ name, requester, createdAt: T0 + second * SECOND, spec: { priority } })
const names = (leases: readonly ReturnType<typeof aLease>[]) => leases.map(({ metadata }) => metadata.name)

describe('queueOrder', () => {
  test('oldest first for one requester, the name decides between equals', () => {
    expect(names(queueOrder([waiting('c', 'a', 2), waiting('b', 'a', 1), waiting('a', 'a', 2)]))).toEqual([
      'b',
      'a',
      'c',
    ])
  })

  test('one lease per requester in turn', () => {
    const queue = [
      waiting('a1', 'alice', 0),
      waiting('a2', 'alice', 1),
      waiting('a3', 'alice', 2),
      waiting('b1', 'bob', 9),
    ]
    expect(names(queueOrder(queue))).toEqual(['a1', 'b1', 'a2', 'a3'])
  })

  test('the requester served longest ago comes first, so nobody wins every turn', () => {
    const queue = [waiting('a2', 'alice', 0), waiting('b1', 'bob', 9)]
    const served = new Map([[requesterKey(queue[0]!), T0]])
    expect(names(queueOrder(queue, served))).toEqual(['b1', 'a2'])
  })

  test('one that queues 500 delays another by at most one member per turn', () => {
    const many = Array.from({ length: 500 }, (_unused, n) => waiting(`a${n}`, 'alice', n))
    const few = Array.from({ length: 5 }, (_unused, n) => waiting(`b${n}`, 'bob', 600 + n))
    const served = new Map<string, number>()
    let queue = [...many, ...few]
    const order: string[] = []
    for (let turn = 0; turn < 12; turn += 1) {
      const [head] = queueOrder(queue, served)
      order.push(head!.spec.requester.identity)
      served.set(requesterKey(head!), T0 + turn)
      queue = queue.filter((lease) => lease !== head)
    }
    expect(order.slice(0, 10).filter((requester) => requester === 'bob')).toHaveLength(5)
  })

  test('priority comes before turns', () => {
    expect(
      names(queueOrder([waiting('a1', 'alice', 0), waiting('b1', 'bob', 9, 90), waiting('b2', 'bob', 9, 90)])),
    ).toEqual(['b1', 'b2', 'a1'])
  })

  test('only leases that wait without a member are queued', () => {
    expect(queueOrder([aLease({ phase: 'Bound' }), aLease({ phase: 'Expired' }), aLease({ deleting: true })])).toEqual(
      [],
    )
  })
})

describe('positionToRecord', () => {
  test.each([
    [0, 40, 40],
    [40, 39, 40],
    [40, 21, 40],
    [40, 20, 20],
    [20, 30, 30],
    [20, 3, 3],
    [3, 2, 2],
    [2, 1, 1],
  ])('recorded %i, really %i: %i', (recorded, actual, expected) => {
    expect(positionToRecord(recorded, actual)).toBe(expected)
  })

  test('moving up 1000 places is written a handful of times', () => {
    let recorded = 0
    let writes = 0
    for (let actual = 1_000; actual >= 1; actual -= 1) {
      const next = positionToRecord(recorded, actual)
      if (next !== recorded) writes += 1
      recorded = next
    }
    expect(recorded).toBe(1)
    expect(writes).toBeLessThanOrEqual(13)
  })
})

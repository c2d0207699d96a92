import { describe, expect, test } from 'vitest'
import { aLease, aPool, aReady, HASH_A, SECOND, T0 } from '../testing/builders.ts'
import { type QueueInput, viewQueue } from './queue-view.ts'

const pool = aPool({}, { status: { currentSpecHash: HASH_A } as NonNullable<ReturnType<typeof aPool>['status']> })
const waiting = (name: string, requester: string, second: number) =>
  aLease({ name, requester, createdAt: T0 + second * SECOND })
const view = (input: Partial<QueueInput>) =>
  viewQueue({ pool, pending: [], instances: [], probes: new Map(), lastServed: new Map(), ...input }, T0)

describe('the view of a queue', () => {
  test('gives each lease its place and the first ones the members there are', () => {
    const pending = [waiting('a', 'alice', 1), waiting('b', 'bob', 2), waiting('c', 'carol', 3)]
    const queue = view({ pending, instances: [aReady({ n: 1 }), aReady({ n: 2 })] })
    expect(pending.map(({ metadata }) => queue.position(metadata.uid!))).toEqual([1, 2, 3])
    expect([...queue.served()]).toEqual(['uid-a', 'uid-b'])
    expect(queue.position('uid-of-nobody')).toBe(0)
  })

  test('passes over a requester that holds all it may: those behind it get what is free', () => {
    const pending = [waiting('a1', 'alice', 1), waiting('b', 'bob', 2), waiting('a2', 'alice', 3)]
    const allowance = ({ spec }: (typeof pending)[number]) => (spec.requester.identity === 'alice' ? 0 : undefined)
    const queue = view({ pending, instances: [aReady({ n: 1 }), aReady({ n: 2 })], allowance })
    expect([...queue.served()]).toEqual(['uid-b'])
  })

  test('gives a requester no more members at once than it may still have', () => {
    const pending = [waiting('a1', 'alice', 1), waiting('a2', 'alice', 2), waiting('b', 'bob', 3)]
    const instances = [aReady({ n: 1 }), aReady({ n: 2 }), aReady({ n: 3 })]
    expect([...view({ pending, instances, allowance: () => 1 }).served()].sort()).toEqual(['uid-a1', 'uid-b'])
  })

  test('keeps the place of a lease whose choice is being written, and gives it no other member', () => {
    const pending = [waiting('a', 'alice', 1), waiting('b', 'bob', 2)]
    const queue = view({ pending, instances: [aReady({ n: 1 })], isChoosing: ({ metadata }) => metadata.name === 'a' })
    expect(pending.map(({ metadata }) => queue.position(metadata.uid!))).toEqual([1, 2])
    expect([...queue.served()]).toEqual(['uid-b'])
  })

  test('says when members that failed their probe just now may be tried again', () => {
    const probes = new Map([['uid-1', { healthy: false, at: T0 - SECOND }]])
    const queue = view({ pending: [waiting('a', 'alice', 1)], instances: [aReady({ n: 1 })], probes })
    expect(queue.memberFor('uid-a')).toBeUndefined()
    expect(queue.retryAt).toEqual([T0 + SECOND])
  })
})

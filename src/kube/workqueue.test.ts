import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { createWorkQueue, type WorkQueueOptions } from './workqueue.ts'

const forever = new AbortController().signal

function make(options: WorkQueueOptions = {}) {
  const clock = new FakeClock()
  return { clock, queue: createWorkQueue({ clock, random: () => 1 - Number.EPSILON, ...options }) }
}

describe('a work queue', () => {
  it('hands keys out in the order in which they became ready, each once', async () => {
    const { queue } = make()
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key)
    expect(queue.depth()).toBe(3)
    expect([await queue.get(forever), await queue.get(forever), await queue.get(forever)]).toEqual(['a', 'b', 'c'])
    expect(queue.depth()).toBe(0)
  })

  it('hands a key out again, once, when it was added while a worker had it', async () => {
    const { queue } = make()
    queue.add('a')
    await queue.get(forever)
    queue.add('a')
    queue.add('a')
    expect(queue.depth()).toBe(0)
    queue.done('a')
    expect(await queue.get(forever)).toBe('a')
    queue.done('a')
    expect(queue.depth()).toBe(0)
  })

  it('hands out first what is in haste, also when it was ready, or a worker had it, before', async () => {
    const { queue } = make()
    queue.add('busy')
    await queue.get(forever)
    for (const key of ['a', 'b', 'c']) queue.add(key)
    queue.addFirst('b')
    queue.addFirst('d')
    queue.addFirst('busy')
    queue.add('busy')
    expect(queue.depth()).toBe(4)
    queue.done('busy')
    const order: (string | undefined)[] = []
    for (let count = 0; count < 5; count += 1) order.push(await queue.get(forever))
    expect(order).toEqual(['b', 'd', 'busy', 'a', 'c'])
  })

  it('wakes one waiting worker per key, in the order in which they wait', async () => {
    const { queue } = make()
    const first = queue.get(forever)
    const second = queue.get(forever)
    queue.add('a')
    expect(await first).toBe('a')
    queue.add('b')
    expect(await second).toBe('b')
  })

  it('answers undefined to waiting and later workers once the signal has aborted', async () => {
    const { queue } = make()
    const controller = new AbortController()
    const waiting = queue.get(controller.signal)
    controller.abort()
    expect(await waiting).toBeUndefined()
    queue.add('a')
    expect(await queue.get(controller.signal)).toBeUndefined()
    expect(await queue.get(forever)).toBe('a')
  })

  it('makes a delayed key ready at its time', async () => {
    const { clock, queue } = make()
    queue.addAfter('a', 1000)
    await clock.advance(999)
    expect(queue.depth()).toBe(0)
    await clock.advance(1)
    expect(queue.depth()).toBe(1)
  })

  it.each([0, -5, Number.NaN])('a delay of %d is none', (ms) => {
    const { queue } = make()
    queue.addAfter('a', ms)
    expect(queue.depth()).toBe(1)
  })

  it.each([
    [1000, 200],
    [200, 1000],
  ])('of the delays %d and %d the shorter counts, and only one timer waits', async (first, second) => {
    const { clock, queue } = make()
    queue.addAfter('a', first)
    queue.addAfter('a', second)
    expect(clock.pending).toBe(1)
    await clock.advance(200)
    expect(queue.depth()).toBe(1)
    expect(clock.pending).toBe(0)
  })

  it('doubles the wait of a failing key from 5 ms to a minute, until it is forgotten', async () => {
    const { clock, queue } = make()
    const waits: number[] = []
    for (let failure = 0; failure < 16; failure++) {
      queue.addRateLimited('a')
      waits.push(Math.round(clock.nextTimerMs ?? 0))
      await clock.advance(60_000)
      await queue.get(forever)
      queue.done('a')
    }
    expect(waits.slice(0, 4)).toEqual([5, 10, 20, 40])
    expect(waits.slice(13)).toEqual([40_960, 60_000, 60_000])
    expect(queue.failures('a')).toBe(16)
    queue.forget('a')
    queue.addRateLimited('a')
    expect(Math.round(clock.nextTimerMs ?? 0)).toBe(5)
  })

  it('keeps all retries together under a rate after the burst', () => {
    const { clock, queue } = make({ retryBurst: 2, retriesPerSecond: 10 })
    for (const key of ['a', 'b', 'c', 'd']) queue.addRateLimited(key)
    expect(clock.pending).toBe(4)
    expect(Math.round(clock.nextTimerMs ?? 0)).toBe(5)
    return clock.advance(190).then(async () => {
      expect(queue.depth()).toBe(3)
      await clock.advance(10)
      expect(queue.depth()).toBe(4)
    })
  })

  it('tells depth, additions, retries and how long keys were ready', async () => {
    const told: string[] = []
    const { clock, queue } = make({
      hooks: {
        depth: (ready) => told.push(`depth ${ready}`),
        added: () => told.push('added'),
        retried: () => told.push('retried'),
        latency: (ms) => told.push(`latency ${ms}`),
      },
    })
    queue.add('a')
    await clock.advance(30)
    await queue.get(forever)
    queue.addRateLimited('b')
    expect(told).toEqual(['added', 'depth 1', 'latency 30', 'depth 0', 'retried'])
  })

  it('drops everything when it is closed, timers too', async () => {
    const { clock, queue } = make()
    queue.add('a')
    queue.addAfter('b', 10)
    queue.close()
    queue.add('c')
    queue.addAfter('d', 10)
    expect([queue.depth(), clock.pending]).toEqual([0, 0])
  })

  it('never has a key twice in flight, loses none and keeps nothing, whatever the order of calls', async () => {
    const step = fc.record({
      act: fc.constantFrom('add', 'addAfter', 'retry', 'take', 'done', 'tick', 'forget'),
      key: fc.constantFrom('a', 'b', 'c'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { clock, queue } = make()
        const inFlight = new Set<string>()
        const owed = new Set<string>()
        const take = async (): Promise<void> => {
          if (queue.depth() === 0) return
          const key = (await queue.get(forever))!
          expect(inFlight.has(key)).toBe(false)
          inFlight.add(key)
          owed.delete(key)
        }
        const finish = (key: string): void => {
          if (inFlight.delete(key)) queue.done(key)
        }
        for (const { act, key } of steps) {
          if (act === 'add') queue.add(key)
          if (act === 'addAfter') queue.addAfter(key, 50)
          if (act === 'retry') queue.addRateLimited(key)
          if (['add', 'addAfter', 'retry'].includes(act)) owed.add(key)
          if (act === 'take') await take()
          if (act === 'done') finish(key)
          if (act === 'tick') await clock.advance(20)
          if (act === 'forget') queue.forget(key)
        }
        await clock.advance(3_600_000)
        for (let round = 0; round < 10; round++) {
          for (const key of [...inFlight]) finish(key)
          while (queue.depth() > 0) await take()
        }
        expect([...owed, ...inFlight]).toEqual([])
        expect([queue.depth(), clock.pending]).toEqual([0, 0])
      }),
      { numRuns: 60 },
    )
  })
})

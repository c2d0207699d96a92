import { afterEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../../test/support/fake-clock.ts'
import { KubeError } from '../../kube/errors.ts'
import type { Log } from '../../kube/log.ts'
import { type ControllerOptions, createController, type Reconcile } from './controller.ts'
import { TerminalError } from './terminal-error.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

function collectingLog(lines: string[], bound: object = {}): Log {
  const write = (level: string) => (fields: object, message: string) => {
    const { key, code } = { ...bound, ...fields } as { key?: string; code?: string }
    lines.push(`${level} ${key} ${code ?? '-'}: ${message}`)
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => collectingLog(lines, { ...bound, ...fields }),
  }
}

function start(reconcile: Reconcile, options: Partial<ControllerOptions> = {}) {
  const clock = new FakeClock()
  const lines: string[] = []
  const results: string[] = []
  const durations: number[] = []
  const depths: number[] = []
  const passes: string[] = []
  const controller = createController({
    name: 'pool',
    clock,
    random: () => 0,
    log: collectingLog(lines),
    metrics: {
      reconciled: (result, seconds) => {
        results.push(result)
        durations.push(seconds)
      },
      queueDepth: (keys) => depths.push(keys),
    },
    ...options,
    reconcile(key, signal) {
      passes.push(`${clock.monotonic()} ${key}`)
      return reconcile(key, signal)
    },
  })
  const stopping = new AbortController()
  const running = controller.run(stopping.signal)
  const stop = async (): Promise<void> => {
    stopping.abort()
    await running
  }
  stops.push(stop)
  return { clock, controller, lines, results, durations, depths, passes, stopping, running }
}

describe('a controller', () => {
  it('passes over each enqueued key once', async () => {
    const { clock, controller, passes, results, lines } = start(async () => undefined)
    for (const key of ['a', 'b', 'a']) controller.enqueue(key)
    await clock.settle()
    expect(passes).toEqual(['0 a', '0 b'])
    expect(results).toEqual(['success', 'success'])
    expect(lines).toEqual([])
  })

  it('looks again after the time that a pass asks for', async () => {
    const { clock, controller, passes, results } = start(async () => ({ requeueAfterMs: 5_000 }))
    controller.enqueue('a')
    await clock.advance(10_000)
    expect(passes).toEqual(['0 a', '5000 a', '10000 a'])
    expect(results[0]).toBe('requeue')
  })

  it('never passes over one key twice at a time, and once more when it changed meanwhile', async () => {
    const gates: (() => void)[] = []
    const { clock, controller, passes } = start(() => new Promise<void>((resolve) => gates.push(resolve)))
    controller.enqueue('a')
    await clock.settle()
    controller.enqueue('a')
    controller.enqueue('a')
    controller.enqueue('b')
    await clock.settle()
    expect(passes).toEqual(['0 a', '0 b'])
    gates[0]!()
    await clock.settle()
    expect(passes).toEqual(['0 a', '0 b', '0 a'])
    for (const open of gates) open()
  })

  it('passes over no more keys at once than its concurrency', async () => {
    const gates: (() => void)[] = []
    const { clock, controller, passes } = start(() => new Promise<void>((resolve) => gates.push(resolve)), {
      concurrency: 2,
    })
    for (const key of ['a', 'b', 'c']) controller.enqueue(key)
    await clock.settle()
    expect(passes).toHaveLength(2)
    gates[0]!()
    await clock.settle()
    expect(passes).toHaveLength(3)
    for (const open of gates) open()
  })

  it('tries a failed key again with growing waits and one line each, and forgets failures after a success', async () => {
    let failures = 3
    const { clock, controller, passes, lines, results } = start(async () => {
      if (failures-- > 0) throw new KubeError('ServerError', 'broken')
    })
    controller.enqueue('a')
    await clock.advance(1_000)
    expect(passes).toEqual(['0 a', '2.5 a', '7.5 a', '17.5 a'])
    expect(lines).toEqual(Array(3).fill('error a ServerError: a pass failed: trying again'))
    expect(results).toEqual(['error', 'error', 'error', 'success'])
    failures = 1
    controller.enqueue('a')
    await clock.advance(2.5)
    expect(passes.slice(4)).toEqual(['1000 a', '1002.5 a'])
  })

  it('one failing key does not hold up others', async () => {
    const { clock, controller, results } = start(
      async (key) => {
        if (key === 'bad') throw new Error('always')
      },
      { concurrency: 1 },
    )
    controller.enqueue('bad')
    controller.enqueue('good')
    await clock.settle()
    expect(results).toEqual(['error', 'success'])
  })

  it('tries again soon after a conflict, without a line that anybody has to read', async () => {
    let conflicts = 1
    const { clock, controller, passes, lines, results } = start(async () => {
      if (conflicts-- > 0) throw new KubeError('Conflict', 'modified')
    })
    controller.enqueue('a')
    await clock.advance(10)
    expect(passes).toEqual(['0 a', '10 a'])
    expect(lines).toEqual(['debug a Conflict: somebody else wrote first: trying again'])
    expect(results).toEqual(['conflict', 'success'])
  })

  it('does not make the conflicts of one key wait for those of many others', async () => {
    const { clock, controller, passes } = start(() => Promise.reject(new KubeError('Conflict', 'modified')))
    for (let n = 0; n < 300; n++) controller.enqueue(`key-${n}`)
    await clock.advance(10)
    expect(passes).toHaveLength(600)
  })

  it('does not loop hot over a conflict that never ends', async () => {
    const { clock, controller, passes } = start(() => Promise.reject(new KubeError('Conflict', 'modified')))
    controller.enqueue('a')
    await clock.advance(10_000)
    expect(passes.length).toBeLessThan(30)
  })

  it('a pass that asks for no wait does not take a whole core', async () => {
    const { clock, controller, passes } = start(async () => ({ requeueAfterMs: 0 }))
    controller.enqueue('a')
    await clock.advance(100)
    expect(passes).toHaveLength(11)
  })

  it('does not try again after a TerminalError, until the object changes', async () => {
    const { clock, controller, passes, lines, results } = start(() => Promise.reject(new TerminalError('bad spec')))
    controller.enqueue('a')
    await clock.advance(3_600_000)
    expect(passes).toHaveLength(1)
    expect(lines).toEqual(['error a -: a pass failed for good: waiting for a change of the object'])
    controller.enqueue('a')
    await clock.settle()
    expect(results).toEqual(['terminal', 'terminal'])
  })

  it('a reconcile function that throws before it returns a promise is a failed pass', async () => {
    const { clock, controller, results } = start(() => {
      throw new Error('not even a promise')
    })
    controller.enqueue('a')
    await clock.settle()
    expect(results).toEqual(['error'])
  })

  it('warns once about a pass that takes longer than a minute', async () => {
    const gate = Promise.withResolvers<void>()
    const { clock, controller, lines } = start(() => gate.promise)
    controller.enqueue('a')
    await clock.advance(59_999)
    expect(lines).toEqual([])
    await clock.advance(300_000)
    expect(lines).toEqual(['warn a -: a pass is slow: it waits for something it should not wait for'])
    gate.resolve()
  })

  it('at the stop waits for the passes under way, starts no other, and leaves no timer', async () => {
    const gate = Promise.withResolvers<void>()
    let ended = false
    const { clock, controller, passes, stopping, running, lines } = start(
      async (_, signal) => {
        await gate.promise
        signal.throwIfAborted()
      },
      { concurrency: 1 },
    )
    running.then(
      () => {
        ended = true
      },
      () => undefined,
    )
    controller.enqueue('a')
    controller.enqueue('b')
    controller.enqueueAfter('c', 1_000)
    await clock.settle()
    stopping.abort()
    await clock.settle()
    expect(ended).toBe(false)
    gate.resolve()
    await running
    expect(passes).toEqual(['0 a'])
    expect(clock.pending).toBe(0)
    expect(lines).toEqual(['debug a -: a pass was interrupted'])
  })

  it('counts how long a pass took and how many keys wait', async () => {
    const { clock, controller, durations, depths } = start(async () => clock.after(1_500), { concurrency: 1 })
    controller.enqueue('a')
    controller.enqueue('b')
    await clock.advance(3_000)
    expect(durations).toEqual([1.5, 1.5])
    expect(depths).toEqual([1, 2, 1, 0])
  })
})

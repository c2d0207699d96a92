import { afterEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { CONFIG_MAPS, type ConfigMap } from '../api/core-resources.ts'
import type { KubeClient, ListOptions, WatchEvent, WatchOptions } from './client.ts'
import { KubeError } from './errors.ts'
import { createReflector } from './reflector.ts'
import { WatchEventError } from './response-error.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

type Watch = (options: WatchOptions) => AsyncIterable<WatchEvent<ConfigMap>>

/** A watch that says nothing until its signal aborts. */
const silent: Watch = async function* ({ signal }) {
  await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
}

const failing = (error: () => Error): Watch =>
  // biome-ignore lint/correctness/useYield: a watch that fails at once has nothing to give
  async function* () {
    throw error()
  }

const endingAtOnce: Watch = async function* () {
  // ends
}

function reflect(options: { watch: Watch; list?: (options: ListOptions) => Promise<never> }) {
  const clock = new FakeClock()
  const lists: number[] = []
  const watches: { at: number; options: WatchOptions }[] = []
  const log: string[] = []
  const client = {
    list: async (_type: unknown, listOptions: ListOptions) => {
      lists.push(clock.monotonic())
      await options.list?.(listOptions)
      return { items: [], resourceVersion: String(100 * lists.length) }
    },
    watch: (_type: unknown, watchOptions: WatchOptions) => {
      watches.push({ at: clock.monotonic(), options: watchOptions })
      return options.watch(watchOptions)
    },
  } as Partial<KubeClient> as KubeClient
  const reflector = createReflector(
    { client, type: CONFIG_MAPS, clock, random: () => 1 - Number.EPSILON },
    {
      replaceAll: () => log.push('list'),
      event: ({ type, object }) => log.push(`${type} ${object.metadata.resourceVersion}`),
      hooks: {
        relist: (reason) => log.push(`relist ${reason}`),
        reconnect: (reason) => log.push(`reconnect ${reason}`),
        failed: (_error, retryInMs) => log.push(`retry in ${Math.round(retryInMs)}`),
      },
    },
  )
  const controller = new AbortController()
  const running = reflector.run(controller.signal)
  stops.push(async () => {
    controller.abort()
    await running
    expect(clock.pending, 'timers left behind').toBe(0)
  })
  return { clock, lists, watches, log, reflector }
}

describe('a reflector', () => {
  it('asks for bookmarks, from the version of the list, for 290 to 580 seconds', async () => {
    const { clock, watches } = reflect({ watch: silent })
    await clock.settle()
    expect(watches[0]?.options).toMatchObject({ resourceVersion: '100', allowBookmarks: true, timeoutSeconds: 580 })
  })

  it('keeps a watch with a bookmark a minute for hours', async () => {
    let clock: FakeClock | undefined
    const { clock: made, watches } = reflect({
      async *watch({ signal }) {
        for (let version = 101; !signal?.aborted; version++) {
          await clock?.after(60_000, signal)
          yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } }
        }
      },
    })
    clock = made
    await clock.advance(3 * 3_600_000)
    expect(watches).toHaveLength(1)
  })

  it('opens a watch that is silent for 90 seconds again, at once and without a list', async () => {
    const { clock, watches, lists } = reflect({ watch: silent })
    await clock.advance(89_999)
    expect(watches).toHaveLength(1)
    await clock.advance(90_001)
    expect(watches.map(({ at }) => at)).toEqual([0, 90_000, 180_000])
    expect(lists).toHaveLength(1)
  })

  it('never loops hot when every watch ends at once', async () => {
    const { clock, watches } = reflect({ watch: endingAtOnce })
    await clock.advance(600_000)
    const waits = watches.slice(1).map(({ at }, index) => Math.round(at - watches[index]!.at))
    expect(waits.slice(0, 5)).toEqual([200, 400, 800, 1600, 3200])
    expect(Math.max(...waits)).toBe(30_000)
    expect(watches.length).toBeLessThan(30)
  })

  it('never loops hot when lists and watches are told Gone for ever', async () => {
    const gone = () => new KubeError('Gone', 'too old', { status: 410 })
    const { clock, watches, lists } = reflect({ watch: failing(gone) })
    await clock.advance(600_000)
    expect(watches.length).toBeLessThan(30)
    expect(Math.abs(lists.length - watches.length)).toBeLessThanOrEqual(1)
  })

  it('waits 200 ms, twice as long each time up to 30 s, while the list fails', async () => {
    const { clock, log } = reflect({
      watch: silent,
      list: () => Promise.reject(new KubeError('Unreachable', 'refused')),
    })
    await clock.advance(120_000)
    expect(log.slice(0, 10)).toEqual(
      [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000].map((ms) => `retry in ${ms}`),
    )
  })

  it('waits as long as the server asks', async () => {
    const busy = new KubeError('TooManyRequests', 'busy', { status: 429, retryAfterSeconds: 17 })
    const { clock, log } = reflect({ watch: silent, list: () => Promise.reject(busy) })
    await clock.settle()
    expect(log).toEqual(['retry in 17000'])
  })

  it.each([
    ['Gone', () => new KubeError('Gone', 'too old'), 1, 'gone'],
    ['an ERROR event', () => new WatchEventError('ServerError', 'broken'), 1, 'error-event'],
    ['three refusals in a row', () => new KubeError('Timeout', 'version in the future', { status: 504 }), 3, 'refused'],
  ] as const)('lists again after %s', async (_, error, watchesBefore, reason) => {
    let failures = 0
    const { clock, log, watches } = reflect({
      watch: (options) => (failures++ < watchesBefore ? failing(error)(options) : silent(options)),
    })
    await clock.advance(5_000)
    expect(log.at(-2)).toBe(`relist ${reason}`)
    expect(watches).toHaveLength(watchesBefore + 1)
    expect(watches.at(-1)?.options.resourceVersion).toBe('200')
  })

  it.each([
    ['the server cannot be reached', () => new KubeError('Unreachable', 'refused')],
    ['the server is busy', () => new KubeError('TooManyRequests', 'busy', { status: 429 })],
  ])('does not list while %s, however often', async (_, error) => {
    const { clock, lists, watches } = reflect({ watch: failing(error) })
    await clock.advance(300_000)
    expect(lists).toHaveLength(1)
    expect(watches.length).toBeGreaterThan(10)
    expect(watches.at(-1)?.options.resourceVersion).toBe('100')
  })

  it('moves its position on with events and bookmarks, never back', async () => {
    const event = (type: 'MODIFIED' | 'BOOKMARK', version: string): WatchEvent<ConfigMap> => ({
      type,
      object: { metadata: { name: 'a', resourceVersion: version } },
    })
    const { clock, log, reflector } = reflect({
      async *watch(options) {
        yield event('MODIFIED', '150')
        yield event('BOOKMARK', '120')
        yield event('MODIFIED', '149')
        yield event('BOOKMARK', '170')
        yield event('MODIFIED', '165')
        yield event('MODIFIED', '1000')
        yield* silent(options)
      },
    })
    await clock.settle()
    expect(log).toEqual(['list', 'MODIFIED 150', 'MODIFIED 1000'])
    expect(reflector.lastResourceVersion()).toBe('1000')
  })

  it('has short waits again after progress', async () => {
    let version = 100
    const { clock, watches } = reflect({
      async *watch() {
        yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(++version) } } }
      },
    })
    await clock.advance(2_000)
    expect(watches).toHaveLength(11)
  })
})

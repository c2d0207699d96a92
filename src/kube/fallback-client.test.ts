import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../test/support/fake-clock.ts'
import { PODS } from '../api/core-resources.ts'
import type { WatchOptions } from './client.ts'
import { KubeError } from './errors.ts'
import { type ClosableKube, createFallbackClient } from './fallback-client.ts'

function server(name: string, calls: string[]) {
  const state = { down: false, closed: false, hung: false, sick: false, disconnected: 0 }
  const ask = async (method: string) => {
    calls.push(`${method} ${name}`)
    if (state.hung) return await new Promise<never>(() => undefined)
    if (state.sick) throw new KubeError('ServerError', `${name} is sick`, { status: 500 })
    if (state.down) throw new KubeError('Unreachable', `${name} is down`)
    return { metadata: { name } }
  }
  const client = {
    get: () => ask('get'),
    patch: () => ask('patch'),
    raw: (method: string) => ask(method),
    async *watch(_: unknown, { signal, opened }: WatchOptions) {
      opened?.()
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }))
    },
    disconnect: () => {
      state.disconnected += 1
    },
    close: () => {
      state.closed = true
    },
  }
  return { state, client: client as unknown as ClosableKube }
}

function two(clock = new FakeClock()) {
  const calls: string[] = []
  const [a, b] = [server('a', calls), server('b', calls)]
  return { calls, a, b, clock, client: createFallbackClient([a.client, b.client], { clock }) }
}

const ref = { name: 'p', namespace: 'default' }

test('a read that finds nobody is asked of the next, which is asked first from then on', async () => {
  const { calls, a, client } = two()
  a.state.down = true
  expect(await client.get(PODS, ref)).toMatchObject({ metadata: { name: 'b' } })
  a.state.down = false
  await client.get(PODS, ref)
  expect(calls).toEqual(['get a', 'get b', 'get b'])
})

test('a write is not repeated, as it may have been applied; the next request goes elsewhere', async () => {
  const { calls, a, client } = two()
  a.state.down = true
  await expect(client.patch(PODS, ref, { type: 'merge', body: {} })).rejects.toMatchObject({ code: 'Unreachable' })
  await client.patch(PODS, ref, { type: 'merge', body: {} })
  await client.raw('GET', '/readyz')
  expect(calls).toEqual(['patch a', 'patch b', 'GET b'])
})

test('when none answers, each is asked once', async () => {
  const { calls, a, b, client } = two()
  a.state.down = true
  b.state.down = true
  await expect(client.get(PODS, ref)).rejects.toMatchObject({ code: 'Unreachable' })
  expect(calls).toEqual(['get a', 'get b'])
})

describe('while there is a watch', () => {
  function watching() {
    const world = two()
    const ended = Promise.withResolvers<unknown>()
    const follow = async () => {
      for await (const _ of world.client.watch(PODS, {}));
    }
    follow().then(() => ended.resolve('ended'), ended.resolve)
    return { ...world, ended: ended.promise }
  }

  test('the server in use is asked every five seconds, and kept while it serves', async () => {
    const { calls, clock } = watching()
    await clock.advance(11_000)
    expect(calls).toEqual(['GET a', 'GET a'])
  })

  test('one that hangs is left within nine seconds: its watches end, what waits for it fails or is asked of the next', async () => {
    const { a, clock, client, ended } = watching()
    a.state.hung = true
    const reading = client.get(PODS, ref)
    const writing = client.patch(PODS, ref, { type: 'merge', body: {} }).catch((error: unknown) => error)
    await clock.advance(9_000)
    expect(await reading).toMatchObject({ metadata: { name: 'b' } })
    expect(await writing).toMatchObject({ code: 'Unreachable' })
    expect(await ended).toMatchObject({ code: 'Unreachable' })
    expect(a.state.disconnected).toBe(1)
  })

  test('one that is sick is left for one that serves, and kept when there is none', async () => {
    const { a, b, calls, clock, client, ended } = watching()
    a.state.sick = true
    b.state.sick = true
    await clock.advance(6_000)
    expect(a.state.disconnected).toBe(0)
    b.state.sick = false
    await clock.advance(5_000)
    expect(await ended).toMatchObject({ code: 'Unreachable' })
    await client.get(PODS, ref)
    expect(calls.at(-1)).toBe('get b')
  })

  test('when all hang the watches end all the same', async () => {
    const { a, b, clock, ended } = watching()
    a.state.hung = true
    b.state.hung = true
    await clock.advance(13_000)
    expect(await ended).toMatchObject({ code: 'Unreachable' })
  })
})

test('closing closes all', () => {
  const { a, b, client } = two()
  client.close()
  expect([a.state.closed, b.state.closed]).toEqual([true, true])
  expect(() => createFallbackClient([])).toThrow(RangeError)
})

import { expect, test } from 'vitest'
import { PODS } from '../api/core-resources.ts'
import { KubeError } from './errors.ts'
import { type ClosableKube, createFallbackClient } from './fallback-client.ts'

function server(name: string, calls: string[]) {
  const state = { down: false, closed: false }
  const ask = async (method: string) => {
    calls.push(`${method} ${name}`)
    if (state.down) throw new KubeError('Unreachable', `${name} is down`)
    return { metadata: { name } }
  }
  const client = {
    get: () => ask('get'),
    patch: () => ask('patch'),
    raw: (method: string) => ask(method),
    close: () => {
      state.closed = true
    },
  }
  return { state, client: client as unknown as ClosableKube }
}

function two() {
  const calls: string[] = []
  const [a, b] = [server('a', calls), server('b', calls)]
  return { calls, a, b, client: createFallbackClient([a.client, b.client]) }
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

test('closing closes all', () => {
  const { a, b, client } = two()
  client.close()
  expect([a.state.closed, b.state.closed]).toEqual([true, true])
  expect(() => createFallbackClient([])).toThrow(RangeError)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, type WatchEvent } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ watchHistory: 20 })
})
afterAll(() => server.close())

let counter = 0
/** A namespace of its own for each test. */
async function space(): Promise<string> {
  counter += 1
  const name = `space-${counter}`
  await server.post('/api/v1/namespaces', { metadata: { name } })
  return `/api/v1/namespaces/${name}/secrets`
}
const secret = (name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, labels },
  stringData: data,
})
const names = (list: { items: Array<{ metadata: { name: string } }> }) =>
  list.items.map(({ metadata }) => metadata.name)
const seen = (events: readonly WatchEvent[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`)

describe('list', () => {
  it('is ordered, and carries the revision of the store', async () => {
    const path = await space()
    for (const name of ['b', 'a', 'c']) await server.post(path, secret(name))
    const { json } = await server.get(path)
    expect(json).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' })
    expect(names(json)).toEqual(['a', 'b', 'c'])
    expect(json.metadata.resourceVersion).toBe(json.items[2].metadata.resourceVersion)
  })

  it('pages through one snapshot, whatever is written meanwhile', async () => {
    const path = await space()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await server.post(path, secret(name, { v: '1' }))
    const first = (await server.get(`${path}?limit=2`)).json
    expect([names(first), first.metadata.remainingItemCount]).toEqual([['a', 'b'], 3])
    await server.delete(`${path}/c`)
    await server.patch(`${path}/d`, { stringData: { v: '2' } })
    await server.post(path, secret('bb'))
    const second = (await server.get(`${path}?limit=2&continue=${first.metadata.continue}`)).json
    expect(names(second)).toEqual(['c', 'd'])
    expect(second.items[1].metadata.resourceVersion).not.toBe(
      (await server.get(`${path}/d`)).json.metadata.resourceVersion,
    )
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    const third = (await server.get(`${path}?limit=2&continue=${second.metadata.continue}`)).json
    expect([names(third), third.metadata.continue]).toEqual([['e'], undefined])
    expect(names((await server.get(path)).json)).toEqual(['a', 'b', 'bb', 'd', 'e'])
  })

  it('answers 410 with a token to go on inconsistently when the snapshot is gone', async () => {
    const path = await space()
    for (const name of ['a', 'b', 'c']) await server.post(path, secret(name))
    const first = (await server.get(`${path}?limit=1`)).json
    for (let n = 0; n < 25; n += 1) await server.patch(`${path}/a`, { metadata: { annotations: { n: String(n) } } })
    const { status, json } = await server.get(`${path}?limit=1&continue=${first.metadata.continue}`)
    expect([status, json.reason]).toEqual([410, 'Expired'])
    expect(names((await server.get(`${path}?continue=${json.metadata.continue}`)).json)).toEqual(['b', 'c'])
  })

  it('selects by labels and by fields', async () => {
    const path = await space()
    await server.post(path, secret('red', {}, { colour: 'red' }))
    await server.post(path, { ...secret('blue', {}, { colour: 'blue' }), type: 'example.com/x' })
    const list = async (query: string) => names((await server.get(`${path}?${query}`)).json)
    expect(await list('labelSelector=colour%3Dred')).toEqual(['red'])
    expect(await list('labelSelector=colour+in+(blue,green)')).toEqual(['blue'])
    expect(await list('labelSelector=!colour')).toEqual([])
    expect(await list('fieldSelector=metadata.name%3Dblue')).toEqual(['blue'])
    expect(await list('fieldSelector=type%3Dexample.com/x')).toEqual(['blue'])
    expect((await server.get(`${path}?fieldSelector=spec.nope%3D1`)).json.message).toContain(
      'field label not supported: spec.nope',
    )
    expect((await server.get(`${path}?labelSelector=%3D%3D`)).status).toBe(400)
  })

  it('refuses a state that has not happened yet, and an exact one that is forgotten', async () => {
    const path = await space()
    expect((await server.get(`${path}?resourceVersion=99999999`)).json).toMatchObject({ code: 504, reason: 'Timeout' })
    expect((await server.get(`${path}?resourceVersion=0`)).status).toBe(200)
    expect((await server.get(`${path}?resourceVersion=1&resourceVersionMatch=Exact`)).status).toBe(410)
    expect((await server.get(`${path}?resourceVersionMatch=Exact`)).status).toBe(422)
    expect((await server.get(`${path}?resourceVersion=abc`)).status).toBe(400)
    expect((await server.get(`${path}?continue=abc`)).status).toBe(400)
  })

  it('deletes a selection', async () => {
    const path = await space()
    for (const name of ['a', 'b']) await server.post(path, secret(name, {}, { go: name }))
    const { json } = await server.call('DELETE', `${path}?labelSelector=go%3Da`)
    expect(json.kind).toBe('SecretList')
    expect(names((await server.get(path)).json)).toEqual(['b'])
  })
})

describe('watch', () => {
  it('tells of each change in order from a revision on', async () => {
    const path = await space()
    const start = (await server.get(path)).json.metadata.resourceVersion
    await server.post(path, secret('a'))
    const watch = await server.watch(`${path}?watch=true&resourceVersion=${start}`)
    await server.patch(`${path}/a`, { metadata: { labels: { a: 'b' } } })
    await server.delete(`${path}/a`)
    const events = await watch.until((all) => all.length === 3)
    expect(seen(events)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a'])
    const revisions = events.map(({ object }) => Number(object.metadata.resourceVersion))
    expect(revisions).toEqual([...revisions].sort((a, b) => a - b))
    expect(new Set(revisions).size).toBe(3)
    watch.stop()
  })

  it('starts with the state when no revision is given', async () => {
    const path = await space()
    await server.post(path, secret('a'))
    const watch = await server.watch(`${path}?watch=1`)
    await watch.until((all) => all.length === 1)
    await server.post(path, secret('b'))
    expect(seen(await watch.until((all) => all.length === 2))).toEqual(['ADDED a', 'ADDED b'])
    watch.stop()
  })

  it('shows an object that starts to match as ADDED, and one that stops as DELETED', async () => {
    const path = await space()
    await server.post(path, secret('a', {}, { on: 'no' }))
    const watch = await server.watch(`${path}?watch=true&labelSelector=on%3Dyes`)
    for (const on of ['yes', 'still', 'yes']) await server.patch(`${path}/a`, { metadata: { labels: { on } } })
    await server.patch(`${path}/a`, { metadata: { labels: { more: 'x' } } })
    const events = await watch.until((all) => all.length === 4)
    expect(seen(events)).toEqual(['ADDED a', 'DELETED a', 'ADDED a', 'MODIFIED a'])
    expect(events[1]?.object.metadata.labels.on).toBe('yes')
    watch.stop()
  })

  it('sends the state, then a bookmark that ends it, when asked for initial events', async () => {
    const path = await space()
    await server.post(path, secret('a'))
    const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const watch = await server.watch(`${path}?${query}`)
    const events = await watch.until((all) => all.length === 2)
    expect(seen(events)).toEqual(['ADDED a', 'BOOKMARK '])
    expect(events[1]?.object).toMatchObject({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    })
    await server.post(path, secret('b'))
    expect(seen(await watch.until((all) => all.length === 3)).at(-1)).toBe('ADDED b')
    watch.stop()
    expect((await server.get(`${path}?watch=true&sendInitialEvents=true`)).status).toBe(422)
  })

  it('ends at its timeout, with a last bookmark unless it was too short for one', async () => {
    const path = `${await space()}?watch=true&allowWatchBookmarks=true&resourceVersion=0`
    const [short, long] = [
      await server.watch(`${path}&timeoutSeconds=1`),
      await server.watch(`${path}&timeoutSeconds=3`),
    ]
    expect(seen(await short.ended())).toEqual([])
    expect(seen(await long.ended())).toEqual(['BOOKMARK '])
  })

  it('answers a revision that is forgotten with an ERROR of 410', async () => {
    const path = await space()
    await server.post(path, secret('a'))
    for (let n = 0; n < 25; n += 1) await server.patch(`${path}/a`, { metadata: { annotations: { n: String(n) } } })
    const watch = await server.watch(`${path}?watch=true&resourceVersion=1`)
    const [event, ...others] = await watch.ended()
    expect(event).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } })
    expect(others).toEqual([])
  })

  it('sends columns with the first Table only', async () => {
    const path = await space()
    await server.post(path, secret('a'))
    await server.post(path, secret('b'))
    const watch = await server.watch(`${path}?watch=true`, {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
    const [first, second] = await watch.until((all) => all.length === 2)
    expect(first?.object.columnDefinitions.length).toBeGreaterThan(0)
    expect(second?.object.columnDefinitions).toBeNull()
    watch.stop()
  })

  it('watches one object by a field selector, as the obsolete path does, and all namespaces at once', async () => {
    const path = await space()
    const one = await server.watch(`${path.replace('/v1/', '/v1/watch/')}/a`)
    const selected = await server.watch(`${path}?watch=true&fieldSelector=metadata.name%3Da`)
    const all = await server.watch(
      `/api/v1/secrets?watch=true&resourceVersion=${(await server.get(path)).json.metadata.resourceVersion}`,
    )
    await server.post(path, secret('b'))
    await server.post(path, secret('a'))
    expect(seen(await one.until((events) => events.length === 1))).toEqual(['ADDED a'])
    expect(seen(await all.until((events) => events.length === 2))).toEqual(['ADDED b', 'ADDED a'])
    expect(seen(await selected.until((events) => events.length === 1))).toEqual(['ADDED a'])
    one.stop()
    selected.stop()
    all.stop()
  })

  it('delivers many changes to many watchers completely and in one order', async () => {
    const path = await space()
    const watches = await Promise.all(
      Array.from({ length: 10 }, () => server.watch(`${path}?watch=true&resourceVersion=0`)),
    )
    await Promise.all(Array.from({ length: 15 }, (_, n) => server.post(path, secret(`s${n}`, { v: 'x'.repeat(5000) }))))
    const views = await Promise.all(watches.map((watch) => watch.until((all) => all.length === 15)))
    for (const view of views) expect(seen(view)).toEqual(seen(views[0] ?? []))
    for (const watch of watches) watch.stop()
  })

  it('ends when the server closes', async () => {
    const other = await startTestServer()
    const watch = await other.watch('/api/v1/namespaces?watch=true')
    await watch.until((all) => all.length === 4)
    await other.close()
    expect((await watch.ended()).length).toBe(4)
  })

  it('shows an event recorded through one group in the other, and in its watches', async () => {
    const core = await server.watch('/api/v1/namespaces/default/events?watch=true')
    const regarding = { kind: 'Pod', name: 'p', namespace: 'default' }
    const sent = { metadata: { name: 'ev' }, regarding, reason: 'R', note: 'n', type: 'Normal', action: 'A' }
    const event = {
      ...sent,
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'c',
      reportingInstance: 'i',
    }
    const path = '/apis/events.k8s.io/v1/namespaces/default/events'
    expect((await server.post(path, event)).json).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      regarding,
      note: 'n',
    })
    const [seenEvent] = await core.until((all) => all.length === 1)
    expect(seenEvent?.object).toMatchObject({ apiVersion: 'v1', involvedObject: regarding, message: 'n' })
    const selected = await server.get('/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dp')
    expect(names(selected.json)).toEqual(['ev'])
    expect((await server.get(path)).json.items[0]).toMatchObject({ regarding })
    core.stop()
  })

  it('reports nothing unforeseen', () => {
    expect(server.errors).toEqual([])
  })
})

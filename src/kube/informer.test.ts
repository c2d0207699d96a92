import { afterEach, describe, expect, it } from 'vitest'
import { kubeconfigText } from '../../test/support/kubeconfig.ts'
import { seededRandom } from '../../test/support/seeded-random.ts'
import { startWatchedCollection, type WatchedCollection } from '../../test/support/watched-collection.ts'
import { CONFIG_MAPS, type ConfigMap } from '../api/core-resources.ts'
import { createInformer, type InformerOptions } from './informer.ts'
import { createKubeClient } from './kube-client.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

interface Following {
  collection: WatchedCollection
  informer: ReturnType<typeof createInformer<ConfigMap>>
  controller: AbortController
  told: string[]
  /** Waits until the cache equals what the server holds. */
  inStep(): Promise<void>
}

async function follow(
  options: InformerOptions<ConfigMap> & { prepare?: (collection: WatchedCollection) => void; serverPage?: number } = {},
): Promise<Following> {
  const { serverPage, prepare, ...informerOptions } = options
  const collection = await startWatchedCollection(serverPage === undefined ? {} : { pageSize: serverPage })
  prepare?.(collection)
  const client = createKubeClient({ kubeconfig: kubeconfigText(collection.server.url), requestTimeoutMs: 5_000 })
  const controller = new AbortController()
  // No random part: the first wait after trouble is 100 ms.
  const informer = createInformer(client, CONFIG_MAPS, { random: () => 0, ...informerOptions })
  const told: string[] = []
  informer.on(({ type, object, old }) => {
    const before = old === undefined || type === 'DELETED' ? '' : `${old.data?.['value']}>`
    told.push(`${type} ${object.metadata.name} ${before}${object.data?.['value']}`)
  })
  cleanups.push(collection.server.close, client.close, async () => {
    controller.abort()
    await informer.stopped()
  })
  await informer.start(controller.signal)
  const state = (objects: Iterable<ConfigMap>): string[] =>
    [...objects].map(({ metadata }) => `${metadata.uid}@${metadata.resourceVersion}`).sort()
  const inStep = async (): Promise<void> => {
    await expect
      .poll(() => state(informer.list()), { timeout: 8_000, interval: 10 })
      .toEqual(state(collection.objects.values()))
  }
  return { collection, informer, controller, told, inStep }
}

const three = (collection: WatchedCollection): void => {
  for (const name of ['a', 'b', 'c']) collection.put(name, '1')
}

describe('an informer', () => {
  it('has the whole list, over several pages, when start resolves', async () => {
    const { informer, told, collection } = await follow({ prepare: three, serverPage: 2 })
    expect(informer.hasSynced()).toBe(true)
    expect(told).toEqual(['ADDED a 1', 'ADDED b 1', 'ADDED c 1'])
    expect(informer.get('n', 'b')?.data).toEqual({ value: '1' })
    expect(informer.get('n', 'd')).toBeUndefined()
    expect(informer.lastResourceVersion()).toBe(String(collection.version()))
    expect(collection.lists()).toBe(2)
  })

  it('tells what changes after that, once each and in order', async () => {
    const { collection, told, inStep } = await follow({ prepare: three })
    told.length = 0
    collection.put('a', '2')
    collection.put('d', '1')
    collection.remove('b')
    collection.put('b', 'again')
    await inStep()
    expect(told).toEqual(['MODIFIED a 1>2', 'ADDED d 1', 'DELETED b 1', 'ADDED b again'])
  })

  it('resumes a cut watch where it was, without listing', async () => {
    const { collection, told, inStep } = await follow({ prepare: three })
    await expect.poll(() => collection.watches()).toBe(1)
    collection.server.cutAll()
    collection.put('a', '2')
    collection.put('a', '3')
    await inStep()
    expect(told.slice(3)).toEqual(['MODIFIED a 1>2', 'MODIFIED a 2>3'])
    expect(collection.lists()).toBe(1)
  })

  it('drops the half of an event that a cut leaves, and gets it again', async () => {
    const { collection, told, inStep } = await follow({ prepare: three })
    await expect.poll(() => collection.watches()).toBe(1)
    collection.cutMidLine()
    collection.put('a', '2')
    await inStep()
    expect(told.slice(3)).toEqual(['MODIFIED a 1>2'])
  })

  it('drops events that come twice', async () => {
    const stale: number[] = []
    const { collection, told, inStep } = await follow({ prepare: three, hooks: { stale: () => stale.push(1) } })
    collection.put('a', '2')
    await expect.poll(() => told.length).toBe(4)
    collection.repeatLast()
    collection.remove('c')
    await expect.poll(() => told.length).toBe(5)
    collection.repeatLast()
    collection.put('b', '2')
    await inStep()
    expect(told.slice(3)).toEqual(['MODIFIED a 1>2', 'DELETED c 1', 'MODIFIED b 1>2'])
    expect(stale).toHaveLength(1)
  })

  it.each([
    ['410 Gone', (collection: WatchedCollection) => collection.server.cutAll(), 'gone'],
    ['an ERROR event with 410', (collection: WatchedCollection) => collection.fail(410, 'Expired'), 'gone'],
    ['another ERROR event', (collection: WatchedCollection) => collection.fail(500, 'InternalError'), 'error-event'],
  ] as const)('lists again after %s and tells what it missed', async (_, trouble, expected) => {
    const reasons: string[] = []
    const { collection, told, inStep } = await follow({
      prepare: three,
      hooks: { relist: (reason) => reasons.push(reason) },
    })
    await expect.poll(() => collection.watches()).toBe(1)
    trouble(collection)
    collection.removeUnseen('b')
    collection.put('a', '2')
    collection.compact()
    await inStep()
    expect(told.slice(3).sort()).toEqual(['DELETED b 1', 'MODIFIED a 1>2'])
    expect(reasons).toEqual([expected])
    collection.put('c', '2')
    await inStep()
    expect(reasons).toHaveLength(1)
  })

  it('lists in one piece when the token of a page has expired', async () => {
    let pages = 0
    const collection = await startWatchedCollection({ pageSize: 2 })
    three(collection)
    const client = createKubeClient({ kubeconfig: kubeconfigText(collection.server.url) })
    const controller = new AbortController()
    const impatient = {
      ...client,
      list: async (...[type, options]: Parameters<typeof client.list>) => {
        if (pages++ === 1) collection.compact()
        return client.list(type, options)
      },
    } as typeof client
    const informer = createInformer(impatient, CONFIG_MAPS)
    cleanups.push(collection.server.close, client.close, () => controller.abort())
    await informer.start(controller.signal)
    expect(informer.list()).toHaveLength(3)
    expect(collection.server.requests.map(({ query }) => query.get('limit')).slice(0, 3)).toEqual(['500', '500', null])
  })

  it('opens a silent watch again, and does not list', async () => {
    const reasons: string[] = []
    const { collection } = await follow({
      prepare: three,
      idleTimeoutMs: 30,
      hooks: { reconnect: (reason) => reasons.push(reason) },
    })
    await expect.poll(() => collection.watches()).toBeGreaterThan(1)
    expect(reasons[0]).toBe('idle')
    expect(collection.lists()).toBe(1)
  })

  it('resumes from the version of the last bookmark', async () => {
    const { collection, informer, inStep } = await follow({ prepare: three })
    await expect.poll(() => collection.watches()).toBe(1)
    collection.compact()
    collection.bookmark()
    await expect.poll(() => informer.lastResourceVersion()).toBe(String(collection.version()))
    collection.server.cutAll()
    collection.put('a', '2')
    await inStep()
    expect(collection.lists()).toBe(1)
  })

  it('tells a late listener of what is there, and a removed one of nothing', async () => {
    const { collection, informer, inStep } = await follow({ prepare: three })
    const late: string[] = []
    const remove = informer.on(({ type, object }) => late.push(`${type} ${object.metadata.name}`))
    expect(late).toEqual(['ADDED a', 'ADDED b', 'ADDED c'])
    remove()
    collection.put('d', '1')
    await inStep()
    expect(late).toHaveLength(3)
  })

  it('goes on when a listener throws', async () => {
    const { collection, informer, told, inStep } = await follow({ prepare: three })
    informer.on(() => {
      throw new Error('a listener with a bug')
    })
    collection.put('a', '2')
    await inStep()
    expect(told.at(-1)).toBe('MODIFIED a 1>2')
  })

  it('stops at abort without a failure, and start resolves although nothing was listed', async () => {
    const failures: unknown[] = []
    const collection = await startWatchedCollection()
    collection.server.answer(() => undefined)
    const client = createKubeClient({ kubeconfig: kubeconfigText(collection.server.url) })
    cleanups.push(collection.server.close, client.close)
    const controller = new AbortController()
    const informer = createInformer(client, CONFIG_MAPS, { hooks: { failed: (error) => failures.push(error) } })
    const started = informer.start(controller.signal)
    await expect.poll(() => collection.server.requests.length).toBe(1)
    controller.abort()
    await started
    await informer.stopped()
    expect([informer.hasSynced(), failures]).toEqual([false, []])
  })

  it('arrives at the truth through cuts, half lines, repeats, lost history and errors', async () => {
    const { collection, informer, inStep } = await follow({ prepare: three, pageSize: 7 })
    // What listeners were told must add up to the same state, with versions of each name only growing.
    const replayed = new Map<string, string>()
    const problems: string[] = []
    informer.on(({ type, object }) => {
      const { name = '', resourceVersion = '' } = object.metadata
      const known = replayed.get(name)
      if ((type === 'ADDED') !== (known === undefined)) problems.push(`${type} of ${name}, known ${known}`)
      if (known !== undefined && Number(resourceVersion) < Number(known)) problems.push(`${name} went back`)
      if (type === 'DELETED') replayed.delete(name)
      else replayed.set(name, resourceVersion)
    })
    const next = seededRandom(42)
    const random = (below: number): number => Math.floor(next() * below)
    const troubles = [
      () => collection.server.cutAll(),
      () => collection.cutMidLine(),
      () => collection.repeatLast(),
      () => collection.bookmark(),
      () => collection.fail(500, 'InternalError'),
      () => [collection.compact(), collection.server.cutAll()],
    ]
    for (let write = 0; write < 600; write++) {
      if (random(4) === 0) collection.remove(`object-${random(25)}`)
      else collection.put(`object-${random(25)}`, String(write))
      if (write % 10 === 0) await new Promise((resolve) => setImmediate(resolve))
      if (write % 50 !== 49) continue
      await expect.poll(() => collection.openWatches()).toBe(1)
      troubles[Math.floor(write / 50) % troubles.length]!()
    }
    await inStep()
    expect(problems).toEqual([])
    expect([...replayed].sort()).toEqual(
      [...collection.objects].map(([name, { metadata }]) => [name, metadata.resourceVersion]).sort(),
    )
  })
})

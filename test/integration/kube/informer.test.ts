import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONFIG_MAPS, type ConfigMap, NAMESPACES } from '../../../src/api/core-resources.ts'
import type { KubeClient } from '../../../src/kube/client.ts'
import { isKubeError } from '../../../src/kube/errors.ts'
import { type Change, createInformer, type Informer, type InformerOptions } from '../../../src/kube/informer.ts'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'
import { seededRandom } from '../../support/seeded-random.ts'

const WRITES = 2_000
const WRITERS = 8
const SEED = 7

/** What listeners are told must be a possible history: judged event by event. */
function judge(informer: Informer<ConfigMap>): { problems: string[]; state: Map<string, string> } {
  const problems: string[] = []
  const state = new Map<string, string>()
  const versions = new Map<string, number>()
  informer.on(({ type, object, old }: Change<ConfigMap>) => {
    const { name = '', uid = '', resourceVersion = '' } = object.metadata
    const known = state.get(name)
    const version = Number(resourceVersion)
    if (type === 'ADDED' && known !== undefined) problems.push(`${name} added twice`)
    if (type !== 'ADDED' && known !== (old?.metadata.uid ?? '')) problems.push(`${name} ${type} of an unknown object`)
    if (type === 'MODIFIED' && version <= (versions.get(uid) ?? 0)) problems.push(`${name} told twice or out of order`)
    versions.set(uid, Math.max(version, versions.get(uid) ?? 0))
    if (type === 'DELETED') state.delete(name)
    else state.set(name, uid)
  })
  return { problems, state }
}

/** Writes at random to names that other writers write to as well. */
function createWriter(client: KubeClient, random: () => number, afterWrite: () => void) {
  return async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) {
      const ref = { namespace: 'work', name: `object-${Math.floor(random() * 60)}` }
      const act = random()
      const data = { value: String(random()) }
      const labels = { colour: random() < 0.5 ? 'red' : 'blue' }
      try {
        if (act < 0.3) await client.delete(CONFIG_MAPS, ref)
        else if (act < 0.65) await client.create(CONFIG_MAPS, { metadata: { ...ref, labels }, data })
        else await client.patch(CONFIG_MAPS, ref, { type: 'merge', body: { metadata: { labels }, data } })
      } catch (error) {
        if (!isKubeError(error, 'NotFound', 'AlreadyExists', 'Conflict')) throw error
      }
      afterWrite()
    }
  }
}

const stateOf = (objects: readonly ConfigMap[]): string[] =>
  objects.map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`).sort()

describe.each(HOST_KINDS)('an informer of $name', ({ isMissing, isReal, start }) => {
  let host: HostUnderTest

  beforeAll(async () => {
    if (isMissing) return
    host = await start()
    await host.client().create(NAMESPACES, { metadata: { name: 'work' } })
  })
  afterAll(() => host?.stop())

  it.skipIf(isMissing)(
    `loses and doubles nothing under ${WRITES} random writes while connections are cut and stall (seed ${SEED})`,
    async () => {
      const random = seededRandom(SEED)
      const { client, proxy } = await host.cuttableClient()
      const stopping = new AbortController()
      const counts = { relist: 0, reconnect: 0, failed: 0 }
      const hooks = {
        relist: () => counts.relist++,
        reconnect: () => counts.reconnect++,
        failed: () => counts.failed++,
      }
      const options = { namespace: 'work', idleTimeoutMs: 600, random: () => 0, hooks }
      const all = createInformer<ConfigMap>(client, CONFIG_MAPS, {
        ...options,
        indexes: { colour: ({ metadata }) => [metadata.labels?.['colour'] ?? ''] },
      })
      const red = createInformer<ConfigMap>(client, CONFIG_MAPS, { ...options, labelSelector: 'colour=red' })
      const verdicts = [judge(all), judge(red)]
      await Promise.all([all.start(stopping.signal), red.start(stopping.signal)])

      const writers = host.client()
      // Each 100 writes something happens to the network; the pauses let a stalled watch be found out by its silence.
      const troubles = [proxy.cutAll, proxy.cutAll, proxy.stallAll, undefined, undefined, proxy.cutAll]
      let written = 0
      const afterWrite = (): void => {
        if (++written % 100 === 0) troubles[(written / 100) % troubles.length]?.()
      }
      const write = createWriter(writers, random, afterWrite)
      await Promise.all(Array.from({ length: WRITERS }, () => write(WRITES / WRITERS)))

      const truth = async (labelSelector?: string) =>
        (await writers.list(CONFIG_MAPS, { namespace: 'work', ...(labelSelector ? { labelSelector } : {}) })).items
      const [everything, reds] = [stateOf(await truth()), stateOf(await truth('colour=red'))]
      await expect.poll(() => stateOf(all.list()), { timeout: 15_000 }).toEqual(everything)
      await expect.poll(() => stateOf(red.list()), { timeout: 15_000 }).toEqual(reds)
      expect(stateOf(all.byIndex('colour', 'red'))).toEqual(reds)
      for (const { problems } of verdicts) expect(problems).toEqual([])
      expect([...verdicts[0]!.state.keys()].sort()).toEqual(
        all
          .list()
          .map(({ metadata }) => metadata.name)
          .sort(),
      )
      expect(counts.reconnect).toBeGreaterThanOrEqual(4)

      stopping.abort()
      await Promise.all([all.stopped(), red.stopped()])
    },
  )

  async function following(options: InformerOptions<ConfigMap> = {}) {
    const { client, proxy } = await host.cuttableClient()
    const stopping = new AbortController()
    const log: string[] = []
    const informer = createInformer<ConfigMap>(client, CONFIG_MAPS, {
      namespace: 'work',
      random: () => 0,
      hooks: {
        relist: (reason) => log.push(`relist: ${reason}`),
        reconnect: (reason) => log.push(`reconnect: ${reason}`),
      },
      ...options,
    })
    await informer.start(stopping.signal)
    const stop = async (): Promise<void> => {
      stopping.abort()
      await informer.stopped()
    }
    const create = (name: string) => host.client().create(CONFIG_MAPS, { metadata: { namespace: 'work', name } })
    const sees = (name: string) =>
      expect.poll(() => informer.get('work', name)?.metadata.name, { timeout: 10_000, interval: 20 }).toBe(name)
    return { proxy, log, stop, create, sees }
  }

  it.skipIf(isMissing)('sees a server that was away, without a list when history reaches back far enough', async () => {
    const { proxy, log, stop, create, sees } = await following()
    await create('before')
    await sees('before')
    proxy.refuse(true)
    await create('meanwhile')
    proxy.refuse(false)
    await sees('meanwhile')
    expect(log).not.toContain('relist: gone')
    await stop()
  })

  it.skipIf(isMissing)('finds out a connection that has gone silent', async () => {
    const { proxy, log, stop, create, sees } = await following({ idleTimeoutMs: 500 })
    await create('loud')
    await sees('loud')
    proxy.stallAll()
    await create('silent')
    await sees('silent')
    expect(log).toContain('reconnect: idle')
    await stop()
  })

  it.skipIf(isMissing || isReal)('lists again when more was written than the server keeps', async () => {
    const { proxy, log, stop, create, sees } = await following()
    await create('history')
    await sees('history')
    proxy.refuse(true)
    const ref = { namespace: 'work', name: 'history' }
    const client = host.client()
    const patch = (n: number) => client.patch(CONFIG_MAPS, ref, { type: 'merge', body: { data: { n: String(n) } } })
    for (let n = 0; n < 1_100; n += 50) await Promise.all(Array.from({ length: 50 }, (_, index) => patch(n + index)))
    await client.delete(CONFIG_MAPS, ref)
    await create('after')
    proxy.refuse(false)
    await sees('after')
    expect(log).toContain('relist: gone')
    await stop()
  })
})

/** Watches under several writers obey the law: whatever they select and from wherever they start, they equal the writes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject, ResourceType } from '../../src/api/resource.ts'
import type { KubeClient, WatchEvent, WatchOptions } from '../../src/kube/client.ts'
import { HOST_KINDS, type HostUnderTest } from '../support/host-under-test.ts'
import {
  judgeAgainstHistory,
  judgeResumable,
  type SeenEvent,
  type WatchScope,
  type Write,
} from '../support/watch-law.ts'

const SECRETS: ResourceType<KubeObject> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
}
const WRITERS = 4
const WRITES = 12
const SENTINEL = 'sentinel'

const nameOf = (object: unknown): string => (object as KubeObject).metadata.name ?? ''
const isOn = (object: unknown): boolean => (object as KubeObject).metadata.labels?.['on'] === 'yes'

/** Reads a watch until the object that is written last appears in it. */
async function collect(events: AsyncIterable<WatchEvent<KubeObject>>): Promise<SeenEvent[]> {
  const seen: SeenEvent[] = []
  for await (const event of events) {
    seen.push({ type: event.type, object: event.object })
    if (event.type !== 'BOOKMARK' && nameOf(event.object) === SENTINEL) break
  }
  return seen
}

/** One of the writers: makes, turns and removes objects that others write too. Conflicts are part of it. */
async function write(client: KubeClient, namespace: string, writer: number): Promise<void> {
  for (let turn = 0; turn < WRITES; turn++) {
    const name = `object-${(writer + turn) % 3}`
    const labels = { on: turn % 2 === 0 ? 'yes' : 'no' }
    const data = { turn: Buffer.from(`${writer}/${turn}`).toString('base64') }
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels }, data }
    await client
      .create(SECRETS, object)
      .catch(() => client.patch(SECRETS, { name, namespace }, { type: 'merge', body: { metadata: { labels }, data } }))
      .catch(() => undefined)
    if (turn % 4 === 3) await client.delete(SECRETS, { name, namespace }).catch(() => undefined)
  }
}

async function makeNamespace(client: KubeClient, name: string): Promise<void> {
  await client.raw('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
}

describe.each(HOST_KINDS)('$name', (kind) => {
  let host: HostUnderTest
  let client: KubeClient
  beforeAll(async () => {
    if (kind.isMissing) return
    host = await kind.start()
    client = host.client()
  })
  afterAll(async () => {
    if (!kind.isMissing) await host.stop()
  })

  it.skipIf(kind.isMissing)('tells each watch all writes that concern it, once and in order', async () => {
    const namespace = 'law'
    await makeNamespace(client, namespace)
    await makeNamespace(client, 'law-other')
    const { resourceVersion } = await client.list(SECRETS, { namespace })
    const from = { namespace, resourceVersion, allowBookmarks: true }
    const open = (options: WatchOptions) => collect(client.watch(SECRETS, options))
    const all = open(from)
    const selected = open({ ...from, labelSelector: 'on=yes' })
    const initial = open({ namespace, sendInitialEvents: true, allowBookmarks: true })
    await Promise.all([
      ...Array.from({ length: WRITERS }, (_, writer) => write(client, namespace, writer)),
      write(client, 'law-other', 0),
    ])
    const last = { name: SENTINEL, namespace, labels: { on: 'yes' } }
    await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: last })

    const history = (await all).filter(({ type }) => type !== 'BOOKMARK') as Write[]
    const scope: WatchScope = { name: 'secrets', namespace, from: BigInt(resourceVersion) }
    expect(history.length).toBeGreaterThan(WRITES)
    expect(judgeAgainstHistory(await all, history, scope)).toEqual([])
    expect(judgeAgainstHistory(await selected, history, { ...scope, selects: isOn })).toEqual([])
    expect(lastStates(await initial)).toEqual(lastStates(history))

    const resume = (labelSelector?: string) => async (revision: bigint) =>
      await open({
        ...from,
        resourceVersion: String(revision),
        ...(labelSelector === undefined ? {} : { labelSelector }),
      })
    const before = history.slice(0, -1)
    expect(await judgeResumable(before, { ...scope, name: 'all' }, withoutSentinel(resume()))).toEqual([])
    const turned = { ...scope, name: 'selected', selects: isOn }
    expect(await judgeResumable(before, turned, withoutSentinel(resume('on=yes')))).toEqual([])
  })
})

/** The state that a stream leaves, by name. */
function lastStates(events: readonly SeenEvent[]): Map<string, unknown> {
  const states = new Map<string, unknown>()
  for (const { type, object } of events) {
    if (type === 'DELETED') states.delete(nameOf(object))
    else if (type !== 'BOOKMARK') states.set(nameOf(object), object)
  }
  return new Map([...states].sort(([left], [right]) => left.localeCompare(right)))
}

/** It ends every watch and is in none of the histories that they are held against. */
function withoutSentinel(watch: (revision: bigint) => Promise<SeenEvent[]>) {
  return async (revision: bigint) =>
    (await watch(revision)).filter(({ type, object }) => type !== 'BOOKMARK' && nameOf(object) !== SENTINEL)
}

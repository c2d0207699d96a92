import { expect, it } from 'vitest'
import { createMemoryKube } from '../../../test/support/memory-kube.ts'
import { EVENTS } from '../../api/core-resources.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { systemClock } from '../../kube/clock.ts'
import { silentLog } from '../../kube/log.ts'
import { createOperationNotes } from './operation-notes.ts'

const NAMESPACE = 'ns'
const operation = (uid: string) => ({ metadata: { name: uid, namespace: NAMESPACE, uid } }) as NodeOperation

function setUp() {
  const kube = createMemoryKube()
  let watches = 0
  const client = {
    ...kube,
    watch: ((type, options) => {
      watches += 1
      return kube.watch(type, options)
    }) as typeof kube.watch,
  }
  const say = async (uid: string, message: string, eventTime: string) => {
    const involvedObject = { kind: 'NodeOperation', namespace: NAMESPACE, name: uid, uid }
    const metadata = { generateName: `${uid}.`, namespace: NAMESPACE }
    await kube.create(EVENTS, { metadata, involvedObject, reason: 'BatchClaimed', message, type: 'Normal', eventTime })
  }
  const notes = createOperationNotes({ client, namespace: NAMESPACE, clock: systemClock, log: silentLog })
  return { notes, say, watches: () => watches }
}

it('are told oldest first, of one operation only', async () => {
  const { notes, say } = setUp()
  await say('a', 'second', '2026-01-01T00:00:02.000000Z')
  await say('a', 'first', '2026-01-01T00:00:01.000000Z')
  await say('b', 'of another', '2026-01-01T00:00:00.000000Z')
  const all = await notes.of(operation('a'))
  expect(all.map(({ message }) => message)).toEqual(['first', 'second'])
  const feed = await notes.follow(operation('a'), () => undefined)
  expect(feed.take()).toEqual(all)
  expect(feed.take()).toEqual([])
  feed.close()
})

it('reach all who follow by one watch, which is there only while somebody does', async () => {
  const { notes, say, watches } = setUp()
  expect(watches()).toBe(0)
  const heard = Promise.withResolvers<void>()
  const followers = await Promise.all(['a', 'a', 'b'].map((uid) => notes.follow(operation(uid), heard.resolve)))
  await say('a', 'now', '2026-01-01T00:00:01.000000Z')
  await heard.promise
  expect(followers.map((feed) => feed.take().map(({ message }) => message))).toEqual([['now'], ['now'], []])
  expect(watches()).toBe(1)
  for (const feed of followers) feed.close()
  const later = Promise.withResolvers<void>()
  let told = 0
  const again = await notes.follow(operation('a'), () => {
    told += 1
    if (told === 2) later.resolve()
  })
  await say('a', 'then', '2026-01-01T00:00:02.000000Z')
  await later.promise
  expect(again.take().map(({ message }) => message)).toEqual(['now', 'then'])
  again.close()
  expect(watches()).toBe(2)
})

import { expect, test } from 'vitest'
import type { KubeObject } from '../api/resource.ts'
import type { Note } from '../core/plan.ts'
import { silentLog } from '../kube/log.ts'
import { createNotePublisher } from './note-publisher.ts'

const pool: KubeObject = { apiVersion: 'v1', kind: 'ClusterPool', metadata: { name: 'p', namespace: 'n', uid: 'u' } }
const note = (message: string, level: Note['level'] = 'Info'): Note => ({ reason: 'Reason', message, level })

function publisher() {
  const events: string[] = []
  const recorder = {
    record: (_about: unknown, content: { message: string }) => {
      events.push(content.message)
    },
    flush: async () => undefined,
    close: () => undefined,
  }
  return { events, notes: createNotePublisher(recorder, silentLog) }
}

test('a note is said once for as long as it is true, and again when it becomes true again', () => {
  const { events, notes } = publisher()
  notes.publish(pool, [note('holding')])
  notes.publish(pool, [note('holding')])
  expect(events).toEqual(['holding'])
  notes.publish(pool, [])
  notes.publish(pool, [note('holding')])
  expect(events).toEqual(['holding', 'holding'])
})

test('other numbers make another note', () => {
  const { events, notes } = publisher()
  notes.publish(pool, [note('1 of 2')])
  notes.publish(pool, [note('2 of 2')])
  expect(events).toEqual(['1 of 2', '2 of 2'])
})

test('debug notes are no Events', () => {
  const { events, notes } = publisher()
  notes.publish(pool, [note('quiet', 'Debug')])
  expect(events).toEqual([])
})

test('a note about an object that cannot be found is no Event', () => {
  const { events, notes } = publisher()
  notes.publish(pool, [{ ...note('gone'), about: { kind: 'ClusterInstance', name: 'x', uid: 'y' } }])
  expect(events).toEqual([])
})

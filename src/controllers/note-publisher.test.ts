import { describe, expect, it } from 'vitest'
import type { Note } from '../core/plan.ts'
import type { EventRecorder } from '../kube/event-recorder.ts'
import { type Log, silentLog } from '../kube/log.ts'
import { createNotePublisher } from './note-publisher.ts'

const pool = { kind: 'ClusterPool', metadata: { name: 'a', namespace: 'n', uid: 'p' } }
const member = { kind: 'ClusterInstance', metadata: { name: 'pool-a-1', namespace: 'n', uid: 'm' } }

function publisher() {
  const events: string[] = []
  const lines: string[] = []
  const recorder: EventRecorder = {
    record: (about, { type, reason }) => events.push(`${about.metadata.name} ${type} ${reason}`),
    flush: async () => undefined,
    close: () => undefined,
  }
  const line = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${message} ${JSON.stringify(fields)}`)
  }
  const log: Log = { ...silentLog, debug: line('debug'), info: line('info'), warn: line('warn') }
  return { events, lines, notes: createNotePublisher(recorder, log) }
}

const note = (changes: Partial<Note> = {}): Note => ({
  reason: 'Held',
  message: 'held (1 of 2)',
  level: 'Info',
  ...changes,
})

describe('a note', () => {
  it('is said once while it stays true', () => {
    const { events, lines, notes } = publisher()
    for (let pass = 0; pass < 3; pass += 1) notes.publish(pool, [note()])
    expect(events).toEqual(['a Normal Held'])
    expect(lines).toHaveLength(1)
  })

  it('is said again when its numbers change, and when it becomes true anew', () => {
    const { events, notes } = publisher()
    notes.publish(pool, [note()])
    notes.publish(pool, [note({ message: 'held (0 of 2)' })])
    notes.publish(pool, [])
    notes.publish(pool, [note({ message: 'held (0 of 2)' })])
    expect(events).toHaveLength(3)
  })

  it('about a member is an Event of the member, and names it in the log as the documented field `cluster`', () => {
    const { events, lines, notes } = publisher()
    const about = { kind: 'ClusterInstance', name: 'pool-a-1', uid: 'm' }
    notes.publish(pool, [note({ level: 'Warning', about })], () => member)
    expect(events).toEqual(['pool-a-1 Warning Held'])
    expect(lines[0]).toBe('warn held (1 of 2) {"ClusterPool":"n/a","reason":"Held","cluster":"pool-a-1"}')
  })

  it('of level Debug is no Event', () => {
    const { events, lines, notes } = publisher()
    notes.publish(pool, [note({ level: 'Debug' })])
    expect(events).toEqual([])
    expect(lines).toHaveLength(1)
  })

  it('is forgotten with its object', () => {
    const { events, notes } = publisher()
    notes.publish(pool, [note()])
    notes.forget('n/a')
    notes.publish(pool, [note()])
    expect(events).toHaveLength(2)
  })
})

/**
 * Turns the notes of plans into log lines and Events. A note is said once, when it becomes true, not in every pass in which it
 * still is: what a pass says that the pass before it did not say is new.
 */
import type { KubeObject } from '../api/resource.ts'
import type { Note } from '../core/plan.ts'
import type { EventRecorder, EventSubject } from '../kube/event-recorder.ts'
import type { Log } from '../kube/log.ts'
import { objectKey } from '../kube/object-key.ts'

export interface NotePublisher {
  /** `resolve` finds the object that a note is about when it is not the planned one. Answers the notes that are new. */
  publish(
    object: KubeObject,
    notes: readonly Note[],
    resolve?: (about: NonNullable<Note['about']>) => KubeObject | undefined,
  ): readonly Note[]
  /** The object is gone. */
  forget(key: string): void
}

export function createNotePublisher(recorder: EventRecorder, log: Log): NotePublisher {
  const said = new Map<string, ReadonlySet<string>>()
  return {
    publish(object, notes, resolve = () => undefined) {
      const key = objectKey(object)
      const before = said.get(key) ?? new Set()
      const now = new Set(notes.map(fingerprint))
      if (now.size === 0) said.delete(key)
      else said.set(key, now)
      const fresh = notes.filter((candidate) => !before.has(fingerprint(candidate)))
      for (const note of fresh) {
        write(log, object, note)
        const about = note.about === undefined ? object : resolve(note.about)
        if (about !== undefined) recordEvent(recorder, about, note)
      }
      return fresh
    },
    forget: (key) => {
      said.delete(key)
    },
  }
}

export function recordEvent(recorder: EventRecorder, about: EventSubject, { level, reason, message }: Note): void {
  if (level === 'Debug') return
  recorder.record(about, { type: level === 'Warning' ? 'Warning' : 'Normal', reason, message })
}

const fingerprint = ({ reason, message, about }: Note): string => `${reason}\n${about?.name ?? ''}\n${message}`

function write(log: Log, object: KubeObject, note: Note): void {
  const kind = object.kind ?? 'object'
  const fields = {
    [kind]: objectKey(object),
    reason: note.reason,
    // `cluster` is the documented field of the upgrade lines: the member that the line is about.
    ...(note.about?.kind === 'ClusterInstance' ? { cluster: note.about.name } : {}),
  }
  if (note.level === 'Debug') log.debug(fields, note.message)
  else if (note.level === 'Warning') log.warn(fields, note.message)
  else log.info(fields, note.message)
}

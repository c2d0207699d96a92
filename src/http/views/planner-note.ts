/** What every plan on the wire has: its notes, and when the next pass is due. */
import { field } from '../../core/optional-field.ts'
import type { Note } from '../../core/plan.ts'
import type { NoteView } from '../schemas/note.ts'

export const noteView = ({ reason, message, level, about }: Note): NoteView => ({
  reason,
  message,
  level,
  ...field('about', about?.name),
})

/** Whole seconds; undefined: only an event can change anything. */
export const nextLookSeconds = (requeueAfterMs: number | undefined): number | undefined =>
  requeueAfterMs === undefined ? undefined : Math.ceil(requeueAfterMs / 1000)

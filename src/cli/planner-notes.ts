/** Decisions of a planner, and decisions not to act, as lines. */
import type { Answer } from '../client/api.ts'
import type { Output } from './output.ts'

export type PlannerNote = Answer<'planPool'>['notes'][number]

/** Without `details` the notes of level Debug are left out. */
export function printNotes(output: Output, notes: readonly PlannerNote[], details: boolean): void {
  const shown = notes.filter(({ level }) => details || level !== 'Debug')
  if (shown.length === 0) return
  output.line()
  output.table(
    ['WHY', 'ABOUT', 'NOTE'],
    shown.map(({ reason, about = '-', message }) => [reason, about, message]),
  )
}

/** Decisions of a planner, and decisions not to act, as lines. */
import type { Answer } from '../client/api.ts'
import { shortDuration } from './duration-option.ts'
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

/** What is ahead of a lease. */
export function printMoments(
  output: Output,
  { at: now, upcoming }: Pick<Answer<'planLease'>, 'at' | 'upcoming'>,
): void {
  if (upcoming.length === 0) return
  output.line()
  output.table(
    ['AHEAD', 'AT', 'IN', 'MEANING'],
    upcoming.map(({ kind, at, message }) => [kind, at, shortDuration(Date.parse(at) - Date.parse(now)), message]),
  )
}

/** Keeps the log of a process that writes it through its own stdout: copied aside and emptied when it is full. */
import { copyFileSync, ftruncateSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { memberFile } from './member-record.ts'

/** A member holds at most twice this, with the previous log. */
export const maxLogBytes = 1024 * 1024
const stdout = 1

/** The descriptor was opened for appending, so the next line goes to the new end. A line written meanwhile may be lost. */
export function keepLogBounded(folder: string): void {
  const path = join(folder, memberFile.log)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size <= maxLogBytes) return
  copyFileSync(path, join(folder, memberFile.previousLog))
  ftruncateSync(stdout)
}

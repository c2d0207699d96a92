/** Ends members: asked first, ended when they do not, and reported gone only when it was observed. */
import { type RemovalState, removed } from './launch-state.ts'
import { folderOf, isLaunched, type MemberControl } from './member-control.ts'
import type { MemberFolder } from './member-folder.ts'
import { CorruptRecordError, type MemberRecord } from './member-record.ts'

/** A member that was asked to end and still lives after this time is ended. */
export const killAfterMs = 5000

export interface Removals {
  stop(name: string, uid: string): Promise<RemovalState>
  /** `uid` undefined: whoever is there; for a removal that was begun. */
  destroy(name: string, uid: string | undefined): Promise<RemovalState>
}

export function createRemovals(control: MemberControl): Removals {
  /** When each was asked to end, monotonic milliseconds. */
  const askedAt = new Map<string, number>()
  const endProcess = async (folder: MemberFolder, record: MemberRecord): Promise<readonly string[]> => {
    if (!isLaunched(record)) return []
    const now = control.clock.monotonic()
    const asked = askedAt.get(record.name) ?? now
    askedAt.set(record.name, asked)
    const left = await control.runners[record.isolation].stop(folder, record, now - asked >= killAfterMs)
    if (left.length === 0) askedAt.delete(record.name)
    else control.wakeups.after(record.name, Math.max(asked + killAfterMs - now, lookAgainMs))
    return left
  }
  return {
    stop: (name, uid) => stop(control, { name, uid, endProcess }),
    destroy: (name, uid) => destroy(control, { name, uid, endProcess }),
  }
}

/** After a SIGKILL the system needs a moment. */
const lookAgainMs = 100

interface Removal {
  readonly name: string
  readonly uid: string | undefined
  readonly endProcess: (folder: MemberFolder, record: MemberRecord) => Promise<readonly string[]>
}

async function stop(control: MemberControl, { name, uid, endProcess }: Removal): Promise<RemovalState> {
  const folder = folderOf(control, name)
  const record = await folder.readRecord()
  if (record === undefined || record.uid !== uid) return removed
  const stopping = record.desired === 'Running' ? { ...record, desired: 'Stopped' as const } : record
  if (stopping !== record) await folder.writeRecord(stopping)
  const remaining = await endProcess(folder, stopping)
  if (remaining.length > 0) return { gone: false, remaining }
  if (isLaunched(stopping)) await folder.writeRecord(withoutLaunch(stopping))
  control.wakeups.cancel(name)
  return removed
}

function withoutLaunch({ launch, ...rest }: MemberRecord): MemberRecord {
  return rest
}

async function destroy(control: MemberControl, { name, uid, endProcess }: Removal): Promise<RemovalState> {
  const folder = folderOf(control, name)
  const record = await readRecordOrProblem(folder)
  if (record === undefined) return removeHalfCreated(folder)
  if (typeof record === 'string') return { gone: false, remaining: [record] }
  // A member with another UID is somebody else: of the one that was asked for nothing is left.
  if (uid !== undefined && record.uid !== uid) return removed
  const remaining = await endProcess(folder, await markDestroyed(control, folder, record))
  if (remaining.length > 0) return { gone: false, remaining: [...remaining, folder.path] }
  if (!(await folder.remove())) return { gone: false, remaining: [folder.path] }
  control.wakeups.cancel(name)
  control.log.info({ member: name }, 'destroyed a control plane')
  return removed
}

/** Whose it is cannot be told from a damaged record, so it is left to a person. */
async function readRecordOrProblem(folder: MemberFolder): Promise<MemberRecord | string | undefined> {
  try {
    return await folder.readRecord()
  } catch (error) {
    if (error instanceof CorruptRecordError) return error.message
    throw error
  }
}

/** Without a record it never ran and nobody knows of it. */
async function removeHalfCreated(folder: MemberFolder): Promise<RemovalState> {
  if ((await folder.list()) === undefined || (await folder.remove())) return removed
  return { gone: false, remaining: [folder.path] }
}

/** Written down first, so that nobody starts it again after a crash of ours. */
async function markDestroyed(
  control: MemberControl,
  folder: MemberFolder,
  record: MemberRecord,
): Promise<MemberRecord> {
  if (record.desired === 'Destroyed') return record
  const marked = { ...record, desired: 'Destroyed' as const }
  try {
    await folder.writeRecord(marked)
  } catch (error) {
    // A full disk must not keep a member alive: removing it is what frees the space.
    control.log.warn({ member: record.name, err: error }, 'cannot write down that a member is being destroyed')
  }
  return marked
}

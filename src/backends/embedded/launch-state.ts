/** What a launcher says of a member, and how a refusal of the system becomes such an answer. */
import { systemErrorCode } from './atomic-file.ts'
import type { MemberRecord, Storage } from './member-record.ts'

export interface LaunchState {
  readonly state: 'Provisioning' | 'Running' | 'Unschedulable' | 'Failed'
  /** What is the case and, when something is wrong, what to do. */
  readonly message: string
  /** Stable, for programs: why it is `Failed`, or what ended the last start of one that is `Provisioning`. */
  readonly code?: string
  /** What the last crash of one that is `Provisioning` said of itself. */
  readonly lastCrash?: string
  /** What it was made with; absent when its record could not be read or written. */
  readonly storage?: Storage
  /** The process that hosts it, while it lives. */
  readonly pid?: number
  /** `https://host:port`, while it answers. */
  readonly url?: string
}

export interface RemovalState {
  readonly gone: boolean
  readonly remaining: readonly string[]
}

export const removed: RemovalState = { gone: true, remaining: [] }

export function memberUrl(record: MemberRecord): string {
  const host = record.host.includes(':') ? `[${record.host}]` : record.host
  return `https://${host}:${record.port}`
}

type Advice = (path: string) => string

const adviceOf: Readonly<Record<string, Advice>> = {
  ENOSPC: (path) => `no space left for ${path}: free some space on that disk`,
  EDQUOT: (path) => `the disk quota for ${path} is used up: free some space`,
  EACCES: (path) => `cannot write to ${path}: give this user write permission`,
  EPERM: (path) => `cannot write to ${path}: give this user write permission`,
  EROFS: (path) => `${path} is on a read-only file system: choose another state folder`,
  EMFILE: () => 'too many open files: raise the limit (ulimit -n)',
  ENFILE: () => 'the system has too many open files: raise its limit',
  EAGAIN: () => 'the system starts no more processes: raise the limit (ulimit -u), or lower the size of the pools',
  ENOMEM: () => 'the system has no memory for another process: lower the size of the pools',
}

/** The host is full: the member waits, nothing is wrong with it. */
const fullHost: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM'])

export function describeLaunchError(error: unknown, path: string, nodePath: string): LaunchState {
  const code = systemErrorCode(error) ?? 'StartFailed'
  const text = error instanceof Error ? error.message : String(error)
  if (code !== 'ENOENT') {
    const state = fullHost.has(code) ? 'Unschedulable' : 'Failed'
    return { state, code, message: adviceOf[code]?.(path) ?? text }
  }
  if (isSpawnError(error))
    return { state: 'Failed', code, message: `${nodePath} cannot be run: install Node.js, or correct the path` }
  // Removed by somebody just now: made again by the next call.
  return { state: 'Provisioning', code, message: text }
}

function isSpawnError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn')
}

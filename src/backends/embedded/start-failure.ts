/** Why a control plane could not start, by error code, in words that say what to do. Loaded by members: nothing heavy. */
import type { FailureCode, MemberRecord } from './member-record.ts'
import { memberFile } from './member-record.ts'

export interface StartFailure {
  readonly code: FailureCode
  readonly message: string
}

const codeOfError: Readonly<Record<string, FailureCode>> = {
  EADDRINUSE: 'PortTaken',
  ENOSPC: 'NoSpace',
  EDQUOT: 'NoSpace',
  EACCES: 'NoPermission',
  EPERM: 'NoPermission',
  EROFS: 'NoPermission',
  // StoreError of the control plane.
  Corrupt: 'StorageCorrupt',
  TooNew: 'StorageTooNew',
  Unreadable: 'NoPermission',
  Locked: 'StorageLocked',
  WriteFailed: 'NoSpace',
}

/** Primary result codes of SQLite: https://www.sqlite.org/rescode.html. */
const codeOfSqliteError: ReadonlyMap<number, FailureCode> = new Map([
  [3, 'NoPermission'],
  [8, 'NoPermission'],
  [11, 'StorageCorrupt'],
  [13, 'NoSpace'],
  [14, 'NoPermission'],
  [26, 'StorageCorrupt'],
])

const primarySqliteCode = 0xff

export function describeStartFailure(error: unknown, record: MemberRecord, folder: string): StartFailure {
  const code = failureCode(error)
  return { code, message: messageOf(code, record, folder) ?? textOf(error) }
}

/** The first cause that says what it is. */
function failureCode(error: unknown): FailureCode {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const known = ownFailureCode(cause)
    if (known !== undefined) return known
  }
  return 'StartFailed'
}

function ownFailureCode(error: Error): FailureCode | undefined {
  if ('errcode' in error && typeof error.errcode === 'number')
    return codeOfSqliteError.get(error.errcode & primarySqliteCode)
  return 'code' in error && typeof error.code === 'string' ? codeOfError[error.code] : undefined
}

function messageOf(code: FailureCode, record: MemberRecord, folder: string): string | undefined {
  switch (code) {
    case 'PortTaken':
      return portTaken(record)
    case 'NoSpace':
      return `no space left for ${folder}: free some space on that disk`
    case 'NoPermission':
      return `cannot write to ${folder}: give this user write permission`
    case 'StorageCorrupt':
      return `${folder}/${memberFile.data} is damaged: restore it from a copy, or destroy the cluster to get a new one`
    case 'StorageTooNew':
      return `${folder}/${memberFile.data} was written by a later version of this program: start that version`
    case 'StorageLocked':
      return `${folder}/${memberFile.data} is open in another process: it is tried again`
    case 'StartFailed':
      return undefined
  }
}

function portTaken({ host, port, everReady }: MemberRecord): string {
  const advice = everReady ? 'end that program: kubeconfigs name this port' : 'end that program, or choose another port'
  return `port ${port} of ${host} is taken by another program; ${advice}`
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * What is written down about a member, in its own folder:
 *
 * | file | written by | what |
 * |---|---|---|
 * | `member.json` | launcher | what it is and which launch is the present one: the truth |
 * | `pki/*.pem` | launcher | keys and certificates |
 * | `ready.json` | the member | it answers: process and port. Valid only for the launch that it names |
 * | `failure.json` | the member | why the launch that it names could not start |
 * | `data.sqlite*` | the member | its objects, storage `sqlite` |
 * | `log.txt`, `log.1.txt` | the member | what it printed; bounded |
 *
 * This file is loaded by the members too: it imports nothing heavy.
 */
import type { TokenRecord } from '../../control-plane/options.ts'
import type { ProcessIdentity } from './process-identity.ts'

export type Isolation = 'process' | 'shared'
export type Storage = 'sqlite' | 'memory'

export interface Launch {
  /** Random; the member's process carries it on its command line and ends when it is no longer the present one. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  /** The process that hosts it; written down when it first answers. */
  readonly process?: ProcessIdentity
}

export interface MemberRecord {
  readonly schema: 1
  readonly name: string
  readonly uid: string
  readonly isolation: Isolation
  readonly storage: Storage
  /** What `/version` reports, such as `v1.36.3`. */
  readonly version?: string
  readonly host: string
  /** 0 until the member answered once; from then on it keeps its port, because kubeconfigs name it. */
  readonly port: number
  readonly tokens: readonly TokenRecord[]
  readonly desired: 'Running' | 'Stopped' | 'Destroyed'
  readonly launch?: Launch
  /** It answered once, so somebody may hold its kubeconfig and its data. */
  readonly everReady: boolean
  /** Launches that ended by themselves, since the last one that lasted. */
  readonly crashes: number
  /** Not started again before this time, epoch milliseconds. */
  readonly nextStartAt: number
  readonly lastCrash?: { readonly code: FailureCode; readonly message: string }
  /** It will not be started again. */
  readonly failure?: { readonly code: string; readonly message: string }
}

export interface ReadyRecord {
  readonly launch: string
  readonly process: ProcessIdentity
  readonly port: number
}

export type FailureCode =
  | 'PortTaken'
  | 'NoSpace'
  | 'NoPermission'
  | 'StorageCorrupt'
  | 'StorageTooNew'
  | 'StorageLocked'
  | 'StartFailed'

export interface FailureRecord {
  readonly launch: string
  readonly code: FailureCode
  readonly message: string
}

export const memberFile = {
  record: 'member.json',
  ready: 'ready.json',
  failure: 'failure.json',
  data: 'data.sqlite',
  log: 'log.txt',
  previousLog: 'log.1.txt',
  pki: 'pki',
} as const

export const pkiFile = {
  caCert: 'ca.crt.pem',
  caKey: 'ca.key.pem',
  servingCert: 'serving.crt.pem',
  servingKey: 'serving.key.pem',
  adminCert: 'admin.crt.pem',
  adminKey: 'admin.key.pem',
} as const

/** A file of a member that is not what its writer writes: somebody else changed it. */
export class CorruptRecordError extends Error {
  override readonly name = 'CorruptRecordError'
  readonly code = 'CorruptRecord'
}

export function parseMemberRecord(text: string, path: string): MemberRecord {
  const value = parseObject(text, path)
  const complete =
    value['schema'] === 1 && ['name', 'uid', 'host', 'desired'].every((key) => typeof value[key] === 'string')
  if (!complete)
    throw new CorruptRecordError(`${path} is not a member record of this version: restore it or remove its folder`)
  return value as object as MemberRecord
}

export function parseReadyRecord(text: string, path: string): ReadyRecord {
  const value = parseObject(text, path)
  if (typeof value['launch'] !== 'string' || typeof value['port'] !== 'number' || typeof value['process'] !== 'object')
    throw new CorruptRecordError(`${path} is not a readiness record`)
  return value as object as ReadyRecord
}

export function parseFailureRecord(text: string, path: string): FailureRecord {
  const value = parseObject(text, path)
  if (typeof value['launch'] !== 'string' || typeof value['message'] !== 'string')
    throw new CorruptRecordError(`${path} is not a failure record`)
  return value as object as FailureRecord
}

function parseObject(text: string, path: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new CorruptRecordError(`${path} is not JSON: restore it or remove its folder`, { cause: error })
  }
  if (typeof value !== 'object' || value === null) throw new CorruptRecordError(`${path} holds no object`)
  return value as Record<string, unknown>
}

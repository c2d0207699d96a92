/** `host.json` of the folder of the process that hosts shared members: which launch is the present one. */
import { CorruptRecordError, type Launch } from './member-record.ts'

export const hostFile = { record: 'host.json', log: 'log.txt' } as const

export interface HostRecord {
  readonly launch: Launch
  /** Where the process listens for the launcher. */
  readonly socket: string
}

export function parseHostRecord(text: string, path: string): HostRecord {
  const value: unknown = JSON.parse(text)
  const isHost = typeof value === 'object' && value !== null && 'launch' in value && 'socket' in value
  if (!isHost || typeof value.socket !== 'string' || typeof value.launch !== 'object')
    throw new CorruptRecordError(`${path} is not a record of this version: remove it`)
  return value as object as HostRecord
}

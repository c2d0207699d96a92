/**
 * One member inside its process: reads its folder, starts the control plane, says so in `ready.json`.
 * Loaded by every member: only what a running member needs may be imported here.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startControlPlane } from '../../control-plane/index.ts'
import type { ControlPlane, ControlPlaneOptions } from '../../control-plane/options.ts'
import { type MemberRecord, memberFile, parseMemberRecord, pkiFile, type ReadyRecord } from './member-record.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { describeStartFailure } from './start-failure.ts'

export interface MemberServer {
  readonly port: number
  /** False once the folder is gone or belongs to another launch: this server must end. */
  isCurrent(): boolean
  close(): Promise<void>
}

export interface MemberServerOptions {
  readonly folder: string
  readonly launchId: string
  readonly process: ProcessIdentity
  readonly onError: (error: unknown, context: string) => void
}

/** The folder asks for another launch than this one, or for none. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError'
  readonly code = 'Superseded'
}

/** On failure says why in `failure.json` and throws. */
export async function startMemberServer(options: MemberServerOptions): Promise<MemberServer> {
  const { folder, launchId } = options
  const record = readCurrentRecord(folder, launchId)
  if (record === undefined) throw new SupersededError(`${folder} does not ask for launch ${launchId}`)
  try {
    const controlPlane = await startControlPlane(controlPlaneOptions(record, options))
    const ready: ReadyRecord = { launch: launchId, process: options.process, port: controlPlane.port }
    writeWhole(join(folder, memberFile.ready), ready)
    return memberServer(options, controlPlane)
  } catch (error) {
    writeFailure(options, record, error)
    throw error
  }
}

function memberServer({ folder, launchId }: MemberServerOptions, controlPlane: ControlPlane): MemberServer {
  return {
    port: controlPlane.port,
    isCurrent: () => readCurrentRecord(folder, launchId) !== undefined,
    async close() {
      await controlPlane.close()
      rmSync(join(folder, memberFile.ready), { force: true })
    },
  }
}

function controlPlaneOptions(record: MemberRecord, options: MemberServerOptions): ControlPlaneOptions {
  const pki = (name: keyof typeof pkiFile) => readFileSync(join(options.folder, memberFile.pki, pkiFile[name]), 'utf8')
  const sqlite = { type: 'sqlite', path: join(options.folder, memberFile.data) } as const
  return {
    host: record.host,
    port: record.port,
    ...(record.version === undefined ? {} : { version: record.version }),
    storage: record.storage === 'sqlite' ? sqlite : { type: 'memory' },
    tls: { cert: pki('servingCert'), key: pki('servingKey') },
    clientCa: pki('caCert'),
    tokens: record.tokens,
    onError: options.onError,
  }
}

function readCurrentRecord(folder: string, launchId: string): MemberRecord | undefined {
  const path = join(folder, memberFile.record)
  try {
    const record = parseMemberRecord(readFileSync(path, 'utf8'), path)
    return record.launch?.id === launchId ? record : undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
}

function writeFailure({ folder, launchId }: MemberServerOptions, record: MemberRecord, error: unknown): void {
  const failure = { launch: launchId, ...describeStartFailure(error, record, folder) }
  writeWhole(join(folder, memberFile.failure), failure)
}

/** No flush: after a power cut no process is left that the file could tell about. */
function writeWhole(path: string, value: object): void {
  writeFileSync(`${path}.tmp`, JSON.stringify(value), { mode: 0o600 })
  renameSync(`${path}.tmp`, path)
}

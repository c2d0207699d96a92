/** The launcher's side of a member's folder: see `member-record.ts` for the files. */
import { mkdir, open, readdir, readFile, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pki } from '../../control-plane/options.ts'
import { readTextIfThere, systemErrorCode, writeFileAtomically, writeFolderAtomically } from './atomic-file.ts'
import {
  type FailureRecord,
  type MemberRecord,
  memberFile,
  parseFailureRecord,
  parseMemberRecord,
  parseReadyRecord,
  pkiFile,
  type ReadyRecord,
} from './member-record.ts'

export interface MemberFolder {
  readonly path: string
  /** Undefined: never created, half created, or gone. */
  readRecord(): Promise<MemberRecord | undefined>
  writeRecord(record: MemberRecord): Promise<void>
  /** Makes the folder with its keys; what a crash left of an earlier try is replaced. */
  create(makePki: () => Promise<Pki>): Promise<void>
  readPki(): Promise<Pki>
  /** The readiness that belongs to this launch. */
  readReady(launchId: string): Promise<ReadyRecord | undefined>
  readFailure(launchId: string): Promise<FailureRecord | undefined>
  /** Last line that the member printed, for messages. */
  lastLogLine(): Promise<string | undefined>
  /** Names of the files that are there; undefined when there is no folder. */
  list(): Promise<string[] | undefined>
  /**
   * Removes everything; the record goes last, so that an interrupted removal is continued. False: something was written
   * meanwhile, and is still there.
   */
  remove(): Promise<boolean>
}

const logTailBytes = 2048

export function openMemberFolder(path: string): MemberFolder {
  const file = (name: string) => join(path, name)
  return {
    path,
    readRecord: () => readParsed(file(memberFile.record), parseMemberRecord),
    writeRecord: (record) => writeFileAtomically(file(memberFile.record), `${JSON.stringify(record, undefined, 2)}\n`),
    async create(makePki) {
      const pki = await makePki()
      await mkdir(path, { recursive: true, mode: 0o700 })
      await rm(file(memberFile.pki), { recursive: true, force: true })
      await writeFolderAtomically(file(memberFile.pki), pkiFiles(pki))
    },
    readPki: () => readPki(file(memberFile.pki)),
    readReady: (launchId) => readOfLaunch(file(memberFile.ready), parseReadyRecord, launchId),
    readFailure: (launchId) => readOfLaunch(file(memberFile.failure), parseFailureRecord, launchId),
    lastLogLine: () => lastLine(file(memberFile.log)),
    list: () => listIfThere(path),
    remove: () => removeFolder(path),
  }
}

async function readParsed<T>(path: string, parse: (text: string, path: string) => T): Promise<T | undefined> {
  const text = await readTextIfThere(path)
  return text === undefined ? undefined : parse(text, path)
}

async function readOfLaunch<T extends { readonly launch: string }>(
  path: string,
  parse: (text: string, path: string) => T,
  launchId: string,
): Promise<T | undefined> {
  const record = await readParsed(path, parse)
  return record?.launch === launchId ? record : undefined
}

function pkiFiles(pki: Pki): Record<string, string> {
  return Object.fromEntries(pkiNames().map((name) => [pkiFile[name], pki[name]]))
}

function pkiNames(): (keyof typeof pkiFile)[] {
  return ['caCert', 'caKey', 'servingCert', 'servingKey', 'adminCert', 'adminKey']
}

async function readPki(path: string): Promise<Pki> {
  const texts = await Promise.all(pkiNames().map((name) => readFile(join(path, pkiFile[name]), 'utf8')))
  const [caCert = '', caKey = '', servingCert = '', servingKey = '', adminCert = '', adminKey = ''] = texts
  return { caCert, caKey, servingCert, servingKey, adminCert, adminKey }
}

async function lastLine(path: string): Promise<string | undefined> {
  try {
    const text = await readTail(path)
    return text.trim().split('\n').at(-1)?.trim() || undefined
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function readTail(path: string): Promise<string> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const position = Math.max(0, size - logTailBytes)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(logTailBytes), 0, logTailBytes, position)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

async function listIfThere(path: string): Promise<string[] | undefined> {
  try {
    return await readdir(path)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function removeFolder(path: string): Promise<boolean> {
  const names = (await listIfThere(path)) ?? []
  const others = names.filter((name) => name !== memberFile.record)
  await Promise.all(others.map((name) => rm(join(path, name), { recursive: true, force: true })))
  await rm(join(path, memberFile.record), { force: true })
  try {
    await rmdir(path)
    return true
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') return true
    if (code === 'ENOTEMPTY') return false
    throw error
  }
}

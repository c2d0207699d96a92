/**
 * Entry of the process that hosts many members: `node shared-process.ts <folder> <launch id> <socket>`.
 *
 * It outlives the program that started it. It ends by itself when its last member was stopped, when it had no member for
 * `emptyForMs`, and when its folder is gone or asks for another launch. SIGTERM stops its members first.
 * Exit codes: 0 told to end, 1 could not start, 2 wrong use.
 */
import { once } from 'node:events'
import { readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { keepLogBounded } from './bounded-log.ts'
import { createHostedMembers } from './hosted-members.ts'
import { memberFile } from './member-record.ts'
import { announceReady, logError, logLine, ownIdentity } from './own-process.ts'
import { createControlServer } from './shared-control-server.ts'
import { hostFile, parseHostRecord } from './shared-record.ts'

const checkEveryMs = 2000
const emptyForMs = 30_000

const [folder, launchId, socket] = process.argv.slice(2)

function isCurrent(folder: string, launchId: string): boolean {
  const path = join(folder, hostFile.record)
  try {
    return parseHostRecord(readFileSync(path, 'utf8'), path).launch.id === launchId
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

async function main(folder: string, launchId: string, socket: string): Promise<void> {
  let ending = false
  let lastUsed = performance.now()
  const members = createHostedMembers(await ownIdentity(), logError)
  const end = (reason: string) => {
    if (ending) return
    ending = true
    logLine(`ends: ${reason}`)
    members.close().then(
      () => leave({ folder, launchId, socket }, 0),
      (error: unknown) => {
        logError(error, 'closing')
        leave({ folder, launchId, socket }, 1)
      },
    )
  }
  const check = async () => {
    keepLogBounded(folder)
    if (!isCurrent(folder, launchId)) return end('its folder is gone or asks for another launch')
    await members.dropSuperseded()
    if (!members.isEmpty()) lastUsed = performance.now()
    else if (performance.now() - lastUsed > emptyForMs) end('it has no members')
  }
  if (!isCurrent(folder, launchId)) return end(`${folder} does not ask for this launch`)
  process.on('SIGTERM', () => end('told to'))
  process.on('SIGINT', () => end('told to'))
  const onStopped = () => (members.isEmpty() ? end('its last member was stopped') : undefined)
  rmSync(socket, { force: true })
  await once(
    createControlServer({ members, isEnding: () => ending, onStopped, onError: logError }).listen(socket),
    'listening',
  )
  announceReady()
  setInterval(() => check().catch((error: unknown) => logError(error, 'checking')), checkEveryMs)
}

/** Leaves nothing behind. The record goes last: while it is there, nobody starts another process for this folder. */
function leave(
  paths: { readonly folder: string; readonly launchId: string; readonly socket: string },
  exitCode: number,
): void {
  if (isCurrent(paths.folder, paths.launchId)) {
    rmSync(paths.socket, { force: true })
    rmSync(join(paths.folder, memberFile.log), { force: true })
    rmSync(join(paths.folder, memberFile.previousLog), { force: true })
    rmSync(join(paths.folder, hostFile.record), { force: true })
    for (const path of new Set([dirname(paths.socket), paths.folder])) removeEmptyFolder(path)
  }
  process.exit(exitCode)
}

function removeEmptyFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    // ENOTEMPTY: the next process of this folder is being started.
    logError(error, 'removing the folder')
  }
}

if (folder === undefined || launchId === undefined || socket === undefined) {
  logLine('use: shared-process <folder> <launch id> <socket>')
  process.exitCode = 2
} else {
  try {
    await main(folder, launchId, socket)
  } catch (error) {
    logError(error, 'cannot start')
    process.exit(1)
  }
}

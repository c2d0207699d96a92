/**
 * Entry of a member's own process: `node member-process.ts <folder> <launch id>`.
 *
 * It outlives the program that started it. It ends by itself when its folder is gone or asks for another launch, and ends
 * cleanly on SIGTERM. Exit codes: 0 told to end, 1 could not start, 2 wrong use.
 */
import { keepLogBounded } from './bounded-log.ts'
import { SupersededError, startMemberServer } from './member-server.ts'
import { announceReady, logError, logLine, ownIdentity } from './own-process.ts'

/** A member whose folder is removed by hand lives at most this much longer. */
const checkEveryMs = 2000

const [folder, launchId] = process.argv.slice(2)

async function main(folder: string, launchId: string): Promise<void> {
  const server = await startMemberServer({ folder, launchId, process: await ownIdentity(), onError: logError })
  logLine(`answers on port ${server.port}, process ${process.pid}`)
  let ending = false
  const end = (reason: string) => {
    if (ending) return
    ending = true
    logLine(`ends: ${reason}`)
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logError(error, 'closing')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', () => end('told to'))
  process.on('SIGINT', () => end('told to'))
  // Not before a signal is heard: whoever learns of it may want to end us at once.
  announceReady()
  setInterval(() => {
    keepLogBounded(folder)
    if (!server.isCurrent()) end('its folder is gone or asks for another launch')
  }, checkEveryMs)
}

if (folder === undefined || launchId === undefined) {
  logLine('use: member-process <folder> <launch id>')
  process.exitCode = 2
} else {
  try {
    await main(folder, launchId)
  } catch (error) {
    const superseded = error instanceof SupersededError
    if (superseded) logLine(`cannot start: ${error.message}`)
    else logError(error, 'cannot start')
    process.exit(superseded ? 0 : 1)
  }
}

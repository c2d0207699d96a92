/** `kobe down`: stops a running `kobe up`, and whatever a crashed one has left. */
import { existsSync, rmSync } from 'node:fs'
import { isAlive, signalProcess } from '../backends/embedded/process-identity.ts'
import type { Output } from '../cli/output.ts'
import { EXIT, UserError } from '../cli/user-error.ts'
import { systemClock } from '../kube/clock.ts'
import { stopLeftovers } from './leftovers.ts'
import { runningProcess } from './run-lock.ts'
import { openStateDir } from './state-dir.ts'

const STOP_TIMEOUT_MS = 30_000

export interface DownOptions {
  readonly stateDir: string
  readonly purge: boolean
}

export async function runDown({ stateDir, purge }: DownOptions, output: Output): Promise<void> {
  if (!existsSync(stateDir)) {
    output.line(`Nothing runs here: there is no ${stateDir}`)
    return
  }
  const dir = openStateDir(stateDir)
  const running = await runningProcess(dir.lockFile)
  if (running !== undefined) {
    output.progress(`stopping process ${running.pid}`)
    await signalProcess(running, 'SIGTERM')
    const deadline = systemClock.monotonic() + STOP_TIMEOUT_MS
    while (await isAlive(running)) {
      if (systemClock.monotonic() > deadline) {
        throw new UserError(`process ${running.pid} did not stop within ${STOP_TIMEOUT_MS / 1000} s`, {
          fix: `look at ${dir.operatorLog}; \`kill -9 ${running.pid}\` and \`kobe down\` again ends it without loss`,
          exitCode: EXIT.timeout,
        })
      }
      await systemClock.after(50)
    }
  }
  const left = existsSync(dir.path) ? await stopLeftovers(dir) : 0
  if (purge) rmSync(dir.path, { recursive: true, force: true })
  output.progressDone()
  output.line(describe(running !== undefined, left, purge))
}

function describe(stopped: boolean, left: number, purge: boolean): string {
  const what = stopped
    ? 'Stopped'
    : left > 0
      ? `Stopped ${left} process(es) that a crash had left`
      : 'Nothing was running'
  return purge ? `${what}; the state is removed.` : `${what}; the state is kept.`
}

/** Runs a command in this terminal, passes signals on to it, answers its exit code. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { processEnv } from '../config.ts'
import type { CommandContext } from './define-command.ts'
import { UserError } from './user-error.ts'

const CANNOT_BE_RUN = 126
const NOT_FOUND = 127

export function runChild(
  { cwd, onSignal, output }: Pick<CommandContext, 'cwd' | 'onSignal' | 'output'>,
  [program = '', ...args]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(program, args, { cwd, env: { ...processEnv(), ...variables }, stdio: 'inherit' })
  const stop = onSignal((signal) => {
    // Ctrl-C on a terminal reaches the whole group by itself; twice would be a second Ctrl-C.
    if (signal !== 'SIGINT' || process.stdin.isTTY !== true) child.kill(signal)
  })
  return new Promise<number>((resolve, reject) => {
    child.on('error', (error: NodeJS.ErrnoException) => {
      if (error.syscall?.startsWith('spawn') !== true) {
        reject(new UserError(`${program} cannot be run`, { why: error.message, cause: error }))
        return
      }
      output.note(`kobe: ${program} cannot be run: ${error.code === 'ENOENT' ? 'it is not found' : error.message}`)
      resolve(error.code === 'ENOENT' ? NOT_FOUND : CANNOT_BE_RUN)
    })
    child.on('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]))
  }).finally(stop)
}

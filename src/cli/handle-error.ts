/** The only place where the CLI reports an error. */
import { KobeError } from '../client/errors.ts'
import { ConfigError } from '../config.ts'
import { interruptCode } from './interrupt.ts'
import type { OutputFormat, Sink } from './output.ts'
import { EXIT, UserError, userErrorOf } from './user-error.ts'

export interface ErrorPlace {
  readonly format: OutputFormat
  readonly stderr: Sink
  readonly signal: AbortSignal
}

/** Prints the error and answers the exit code. */
export function handleError(error: unknown, { format, stderr, signal }: ErrorPlace): number {
  const known = asUserError(error)
  if (known !== undefined) return report(known, format, stderr)
  if (signal.aborted) {
    stderr.write(format === 'json' ? `${JSON.stringify({ error: 'interrupted' })}\n` : 'interrupted\n')
    return interruptCode(signal)
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  stderr.write(`kobe: this is a defect in Kobe, please report it with the lines below.\n${stack}\n`)
  return EXIT.failure
}

/** Undefined for what is not an error of the user or of the server. */
export function asUserError(error: unknown): UserError | undefined {
  if (error instanceof UserError) return error
  if (error instanceof KobeError) return userErrorOf(error)
  if (error instanceof ConfigError) return new UserError(error.message, { exitCode: EXIT.usage, cause: error })
  return undefined
}

function report(error: UserError, format: OutputFormat, stderr: Sink): number {
  if (format === 'json') {
    const { message, why, fix, exitCode } = error
    stderr.write(`${JSON.stringify({ error: message, why, fix, exitCode })}\n`)
    return exitCode
  }
  stderr.write(`kobe: ${error.message}\n`)
  if (error.why) stderr.write(`  why: ${error.why}\n`)
  if (error.fix) stderr.write(`  fix: ${error.fix}\n`)
  return error.exitCode
}

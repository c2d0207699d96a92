/** The only place where the CLI reports an error. */
import { ConfigError } from '../config.ts'
import type { OutputFormat, Sink } from './output.ts'
import { EXIT, UserError } from './user-error.ts'

/** Prints the error and answers the exit code. */
export function handleError(error: unknown, format: OutputFormat, stderr: Sink, interrupted: boolean): number {
  if (interrupted) {
    stderr.write('interrupted\n')
    return EXIT.interrupted
  }
  if (error instanceof UserError) return report(error, format, stderr)
  if (error instanceof ConfigError)
    return report(new UserError(error.message, { exitCode: EXIT.usage }), format, stderr)
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  stderr.write(`kobe: this is a defect in Kobe, please report it with the lines below.\n${stack}\n`)
  return EXIT.failure
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

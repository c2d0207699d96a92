/** Durations on the command line: `90s`, `30m`, `1h30m`. The server has the same grammar. */
import { parseDuration } from '../api/duration.ts'
import { type CommandInput, stringOption } from './define-command.ts'
import { EXIT, UserError } from './user-error.ts'

/** Milliseconds, or undefined when the option was not given. `name` is in camel case: `waitTimeout` of `--wait-timeout`. */
export function durationOption(input: CommandInput, name: string): number | undefined {
  const text = stringOption(input, name)
  if (text === undefined) return undefined
  const ms = parseDuration(text)
  if (ms !== undefined) return ms
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  throw new UserError(`${flag} ${text} is not a duration`, {
    fix: 'write it like 90s, 30m or 1h30m',
    exitCode: EXIT.usage,
  })
}

/** `52m`, `1h 5m`, `12s`: as long as it matters to a person. */
export function shortDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}

/** Durations on the command line: `90s`, `30m`, `1h30m`. The server has the same grammar. */
import { EXIT, UserError } from './user-error.ts'

const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 }

/** Milliseconds, or undefined when the option was not given. */
export function parseDurationOption(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined
  const value = text.trim()
  if (!/^(\d+[hms])+$/.test(value)) throw notADuration(text, flag)
  let total = 0
  for (const [, amount, unit] of value.matchAll(/(\d+)([hms])/g)) total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0)
  if (total === 0) throw notADuration(text, flag)
  return total
}

function notADuration(text: string, flag: string): UserError {
  return new UserError(`${flag} ${text} is not a duration`, {
    fix: 'write it like 90s, 30m or 1h30m',
    exitCode: EXIT.usage,
  })
}

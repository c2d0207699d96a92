/** Lets a person choose by number. Where nobody sits at a terminal nothing is chosen: a script must say what it means. */
import type { CommandContext } from './define-command.ts'
import { renderTable } from './output.ts'
import { EXIT, UserError } from './user-error.ts'

/** The first cell of the chosen row; undefined without a terminal, or with an output for programs. */
export async function choose(
  { ask, format, output }: CommandContext,
  question: string,
  rows: readonly (readonly string[])[],
): Promise<string | undefined> {
  if (ask === undefined || format === 'json' || format === 'yaml') return undefined
  const [first = [], ...others] = rows.map((row, index) => [`${index + 1})`, ...row])
  output.note(renderTable(first, others).trimEnd())
  const answer = (await ask(`${question} [1-${rows.length}] `)).trim()
  const row = /^\d+$/.test(answer) ? rows[Number(answer) - 1] : undefined
  if (row !== undefined) return row[0]
  throw new UserError(`${answer === '' ? 'nothing' : answer} is none of these`, { exitCode: EXIT.usage })
}

/** Whether a person says yes; false without one. */
export async function confirm({ ask }: CommandContext, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await ask?.(`${question} [y/N] `))?.trim() ?? '')
}

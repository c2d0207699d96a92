/** The parts of docs/reference/cli.md that follow from the command table: commands, options of all, exit codes. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { usageOf } from '../../src/cli/build-command.ts'
import { COMMANDS } from '../../src/cli/command-table.ts'
import type { CommandDefinition, CommandEntry, OptionDefinition } from '../../src/cli/define-command.ts'
import { OUTPUT_OPTION, TARGET_OPTIONS } from '../../src/cli/global-options.ts'
import { EXIT_MEANINGS } from '../../src/cli/user-error.ts'
import type { Generator } from './generated-files.ts'

const FILE = 'docs/reference/cli.md'

export const cliReference: Generator = {
  name: 'cli-reference',
  async run() {
    const text = await readFile(join(import.meta.dirname, '..', '..', FILE), 'utf8')
    const parts: Readonly<Record<string, string>> = {
      commands: commandTable(),
      'options of every command': optionTable([...TARGET_OPTIONS, OUTPUT_OPTION]),
      'exit codes': exitCodeTable(),
      'each command': (await Promise.all(COMMANDS.map((entry) => section(entry, 'kobe')))).join('\n\n'),
    }
    return new Map([[FILE, Object.entries(parts).reduce(replacePart, text)]])
  },
}

/** Between `<!-- generated: name -->` and `<!-- end -->`. */
function replacePart(text: string, [name, content]: readonly [string, string]): string {
  const start = `<!-- generated: ${name} -->`
  const from = text.indexOf(start)
  const to = text.indexOf('<!-- end -->', from)
  if (from < 0 || to < 0) throw new Error(`${FILE} has no part "${name}"`)
  return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`
}

function commandTable(): string {
  const rows = COMMANDS.filter(({ hidden }) => hidden !== true).map(
    ({ name, summary }) => `| [\`kobe ${name}\`](#kobe-${name}) | ${summary} |`,
  )
  return ['| command | what it does |', '|---|---|', ...rows].join('\n')
}

function exitCodeTable(): string {
  const rows = Object.entries(EXIT_MEANINGS).map(([code, meaning]) => `| ${code} | ${meaning} |`)
  return ['| code | meaning |', '|---|---|', ...rows].join('\n')
}

function optionTable(options: readonly OptionDefinition[]): string {
  const rows = options.map(({ flags, description, choices, ...option }) => {
    const notes = [
      choices === undefined ? '' : `one of ${choices.join(', ')}`,
      option.default === undefined ? '' : `default ${option.default}`,
    ].filter(Boolean)
    return `| \`${flags}\` | ${description}${notes.length > 0 ? ` (${notes.join('; ')})` : ''} |`
  })
  return ['| option | meaning |', '|---|---|', ...rows].join('\n')
}

async function section({ name, summary, load }: CommandEntry, parent: string): Promise<string> {
  const definition = await load()
  const path = `${parent} ${name}`
  const nested = await Promise.all((definition.subcommands ?? []).map((entry) => section(entry, path)))
  const level = parent === 'kobe' ? '###' : '####'
  return [`${level} ${path}`, `${summary}.`, ...body(definition, path), ...nested].join('\n\n')
}

function body(definition: CommandDefinition, path: string): readonly string[] {
  const { details, args = [], options = [], examples = [] } = definition
  const argumentRows = args.map(({ name, description, choices }) => {
    return `| \`${name}\` | ${description}${choices === undefined ? '' : ` (one of ${choices.join(', ')})`} |`
  })
  return [
    ...(definition.run === undefined ? [] : [['```text', [path, ...args.map(usageOf)].join(' '), '```'].join('\n')]),
    ...(details === undefined ? [] : [prose(details)]),
    ...(args.length === 0 ? [] : [['| argument | meaning |', '|---|---|', ...argumentRows].join('\n')]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    ...(examples.length === 0 ? [] : [exampleBlock(examples)]),
  ]
}

/** Outside of code, `<` would begin a tag. */
function prose(text: string): string {
  const parts = text.split('`')
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll('<', '&lt;') : part)).join('`')
}

function exampleBlock(examples: NonNullable<CommandDefinition['examples']>): string {
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, does]) => `${line.padEnd(width)}   # ${does}`)
  return ['```sh', ...lines, '```'].join('\n')
}

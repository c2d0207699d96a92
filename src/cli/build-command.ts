/** From the data of a command to its parser. */
import { Argument, type Command, Option } from 'commander'
import type { ArgumentDefinition, CommandDefinition, CommandInput, OptionDefinition } from './define-command.ts'
import { OUTPUT_OPTION, TARGET_OPTIONS } from './global-options.ts'

/** Called with what was typed, once it is known to be well-formed. */
export type Invoke = (command: Command, definition: CommandDefinition, input: CommandInput) => Promise<void>

/** Gives a bare command its arguments, options, help and subcommands. */
export async function fillCommand(command: Command, definition: CommandDefinition, invoke: Invoke): Promise<void> {
  const { args = [], options = [], offline = false, subcommands = [] } = definition
  for (const argument of args) command.addArgument(toArgument(argument))
  // What belongs to another program stands behind two dashes.
  if (args.some(({ rest }) => rest === true)) command.usage(`[options] ${args.map(usageOf).join(' ')}`)
  for (const option of options) command.addOption(toOption(option))
  for (const option of [...(offline ? [] : TARGET_OPTIONS), OUTPUT_OPTION]) {
    command.addOption(toOption(option).helpGroup('Options of every command:'))
  }
  const more = [definition.details, examplesText(definition, programName(command))].filter((text) => text !== undefined)
  if (more.length > 0) command.addHelpText('after', `\n${more.join('\n\n')}`)
  for (const entry of subcommands) {
    command.helpCommand(false)
    const sub = command.command(entry.name).description(entry.summary)
    sub.copyInheritedSettings(command)
    await fillCommand(sub, await entry.load(), invoke)
  }
  if (definition.run !== undefined) {
    command.action(async (...received: unknown[]) => {
      await invoke(command, definition, inputOf(command, definition, received.slice(0, args.length)))
    })
  }
}

function inputOf(command: Command, { args = [] }: CommandDefinition, received: readonly unknown[]): CommandInput {
  const restAt = args.findIndex(({ rest }) => rest === true)
  const rest = restAt < 0 ? [] : received[restAt]
  return {
    args: received.map((value) => (typeof value === 'string' ? value : undefined)),
    rest: Array.isArray(rest) ? rest.map(String) : [],
    options: command.opts(),
  }
}

/** `<pool>`, `[lease]`, `-- <command...>`. */
export function usageOf({ name, required, rest }: ArgumentDefinition): string {
  if (rest === true) return `-- <${name}...>`
  return required ? `<${name}>` : `[${name}]`
}

function toArgument({ name, required, rest, description, choices }: ArgumentDefinition): Argument {
  const dots = rest === true ? '...' : ''
  const argument = new Argument(required ? `<${name}${dots}>` : `[${name}${dots}]`, description)
  return choices === undefined ? argument : argument.choices([...choices])
}

export function toOption({ flags, description, choices, repeatable, ...more }: OptionDefinition): Option {
  const option = new Option(flags, description)
  if (choices !== undefined) option.choices([...choices])
  if (more.default !== undefined) option.default(more.default)
  if (repeatable) {
    option.argParser((value: string, previous: readonly string[] | undefined) => [...(previous ?? []), value])
  }
  return option
}

function examplesText({ examples = [] }: CommandDefinition, program: string): string | undefined {
  if (examples.length === 0) return undefined
  const lines = examples.map(([line, does]) => `  # ${does}\n  ${line.replace(/^kobe\b/, program)}`)
  return `Examples:\n${lines.join('\n\n')}`
}

function programName(command: Command): string {
  let top = command
  while (top.parent !== null) top = top.parent
  return top.name()
}

/** A command is data: help, parsing, completion and the reference come from it; its `run` is thin. */
import type { KobeApi } from '../client/api.ts'
import type { Environment } from '../config.ts'
import type { EndingSignal } from './interrupt.ts'
import type { Output, OutputFormat, Sink } from './output.ts'

/** One line of `kobe --help`. Its module is loaded only when the command is used: that keeps every start fast. */
export interface CommandEntry {
  /** What is typed, such as `lease`. */
  readonly name: string
  /** One line, without a full stop. */
  readonly summary: string
  /** Not shown in help; for shells and other programs. */
  readonly hidden?: boolean
  load(): Promise<CommandDefinition>
}

export interface CommandDefinition {
  /** More for `kobe <name> --help`: what it does, defaults, what is left behind. */
  readonly details?: string
  readonly examples?: readonly Example[]
  readonly args?: readonly ArgumentDefinition[]
  readonly options?: readonly OptionDefinition[]
  /** Talks to no endpoint, so the options that choose one are left out. */
  readonly offline?: boolean
  readonly subcommands?: readonly CommandEntry[]
  /** Absent: the command is only a name for its subcommands. */
  run?(context: CommandContext, input: CommandInput): Promise<number>
}

/** A whole command line and what it does. */
export type Example = readonly [command: string, does: string]

/** What completion offers for a value; `any-lease`: ended ones too, `operation`: clusters too, `group`: of the cluster that is named before. */
export const VALUE_KINDS = ['pool', 'lease', 'any-lease', 'target', 'cluster', 'operation', 'group', 'file'] as const
export type ValueKind = (typeof VALUE_KINDS)[number]

export interface ArgumentDefinition {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** Takes all that is left. */
  readonly rest?: boolean
  readonly choices?: readonly string[]
  readonly complete?: ValueKind
}

export interface OptionDefinition {
  /** `--ttl <duration>`, `--json`, `--no-wait`. */
  readonly flags: string
  readonly description: string
  readonly default?: string
  /** May be given more than once; the values are an array. */
  readonly repeatable?: boolean
  readonly choices?: readonly string[]
  readonly complete?: ValueKind
}

export type OptionValue = string | boolean | readonly string[] | undefined

export interface CommandInput {
  readonly args: readonly (string | undefined)[]
  /** Values of an argument with `rest`. */
  readonly rest: readonly string[]
  readonly options: Readonly<Record<string, OptionValue>>
}

export interface CommandContext {
  readonly env: Environment
  readonly cwd: string
  readonly output: Output
  readonly format: OutputFormat
  /** Stdout, where a person looks at it and it can be drawn on; absent for pipes, for `-o json` and for plain terminals. */
  readonly terminal: Sink | undefined
  /** Aborted by Ctrl-C, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal
  /** Each of these signals, the first included; answers how to stop listening. */
  onSignal(listener: (signal: EndingSignal) => void): () => void
  /** Asks a person; undefined when there is no terminal to ask on. */
  readonly ask: ((question: string) => Promise<string>) | undefined
  /** Client of the chosen endpoint; throws a `KobeError` when none is known. */
  api(): Promise<KobeApi>
}

export function defineCommand(definition: CommandDefinition): CommandDefinition {
  return definition
}

/** A string option, or undefined when it was not given. */
export function stringOption(input: CommandInput, name: string): string | undefined {
  const value = input.options[name]
  return typeof value === 'string' ? value : undefined
}

/** The values of a repeatable option. */
export function listOption(input: CommandInput, name: string): readonly string[] {
  const value = input.options[name]
  return Array.isArray(value) ? value : []
}

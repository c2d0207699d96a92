/** A command is data: help, parsing and completion come from it; its `run` is thin. */
import type { Environment } from '../config.ts'
import type { ApiClient } from './api-client.ts'
import type { Output, OutputFormat } from './output.ts'

export interface CommandDefinition {
  /** What is typed, such as `lease`. */
  readonly name: string
  /** One line for `kobe --help`. */
  readonly summary: string
  /** More for `kobe <name> --help`: examples, defaults. */
  readonly details?: string
  readonly args?: readonly ArgumentDefinition[]
  readonly options?: readonly OptionDefinition[]
  run(context: CommandContext, input: CommandInput): Promise<number>
}

export interface ArgumentDefinition {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

export interface OptionDefinition {
  /** In commander's notation: `--ttl <duration>`, `--json`, `--no-wait`. */
  readonly flags: string
  readonly description: string
  readonly default?: string
}

export interface CommandInput {
  readonly args: readonly (string | undefined)[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

export interface CommandContext {
  readonly env: Environment
  readonly cwd: string
  readonly output: Output
  readonly format: OutputFormat
  /** Aborted by Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal
  /** Client of the chosen endpoint; throws a `UserError` when none is known. */
  api(): ApiClient
}

export function defineCommand(definition: CommandDefinition): CommandDefinition {
  return definition
}

/** A string option, or undefined when it was not given. */
export function stringOption(input: CommandInput, name: string): string | undefined {
  const value = input.options[name]
  return typeof value === 'string' ? value : undefined
}

/** Turns the command list into a parser, runs one command, answers the exit code. Never exits the process. */
import { Command, CommanderError, Option } from 'commander'
import { type Environment, readEnvironment } from '../config.ts'
import { KOBE_VERSION } from '../version.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import { downCommand } from './commands/down.ts'
import { explainCommand } from './commands/explain.ts'
import { extendCommand } from './commands/extend.ts'
import { leaseCommand } from './commands/lease.ts'
import { listCommand } from './commands/list.ts'
import { operatorCommand } from './commands/operator.ts'
import { poolsCommand } from './commands/pools.ts'
import { releaseCommand } from './commands/release.ts'
import { statusCommand } from './commands/status.ts'
import { upCommand } from './commands/up.ts'
import { versionCommand } from './commands/version.ts'
import type { CommandContext, CommandDefinition, CommandInput } from './define-command.ts'
import { handleError } from './handle-error.ts'
import { createOutput, OUTPUT_FORMATS, type OutputFormat, type Sink } from './output.ts'
import { resolveTarget, type TargetFlags } from './target.ts'
import { EXIT } from './user-error.ts'

/** In the order of `kobe --help`. */
export const COMMANDS: readonly CommandDefinition[] = [
  upCommand,
  downCommand,
  statusCommand,
  poolsCommand,
  explainCommand,
  leaseCommand,
  listCommand,
  extendCommand,
  releaseCommand,
  operatorCommand,
  versionCommand,
]

export interface CliIo {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly stdout: Sink
  readonly stderr: Sink
  readonly signal: AbortSignal
}

export async function runCli(io: CliIo): Promise<number> {
  let exitCode: number = EXIT.ok
  const program = createProgram(io, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync([...io.argv], { from: 'user' })
    return exitCode
  } catch (error) {
    // Help and version end the parse this way too, with exit code 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    return handleError(error, formatOf(program), io.stderr, io.signal.aborted)
  }
}

function createProgram(io: CliIo, exit: (code: number) => void): Command {
  const program = new Command('kobe')
  program
    .description('Warm, leasable Kubernetes clusters, kept fresh.')
    .version(KOBE_VERSION)
    .option('--endpoint <url>', 'base URL of the Kobe API (default: KOBE_ENDPOINT, else the local `kobe up`)')
    .option('--token-file <path>', 'file with the bearer token (default: KOBE_TOKEN, else the local `kobe up`)')
    .option('--ca <path>', 'PEM file of the CA of an https endpoint')
    .addOption(new Option('-o, --output <format>', 'how to print').choices([...OUTPUT_FORMATS]).default('text'))
    .showHelpAfterError('(`kobe --help` lists the commands)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
  for (const definition of COMMANDS) addCommand(program, definition, io, exit)
  return program
}

function addCommand(program: Command, definition: CommandDefinition, io: CliIo, exit: (code: number) => void): void {
  const command = program.command(definition.name).description(definition.summary)
  if (definition.details) command.addHelpText('after', `\n${definition.details}`)
  for (const arg of definition.args ?? []) {
    command.argument(arg.required ? `<${arg.name}>` : `[${arg.name}]`, arg.description)
  }
  for (const option of definition.options ?? []) command.option(option.flags, option.description, option.default)
  command.copyInheritedSettings(program)
  command.addOption(new Option('-o, --output <format>', 'how to print').choices([...OUTPUT_FORMATS]))
  command.action(async (...received: unknown[]) => {
    const args = received.slice(0, definition.args?.length ?? 0) as CommandInput['args']
    exit(await definition.run(createContext(command, io), { args, options: command.opts() }))
  })
}

function createContext(command: Command, io: CliIo): CommandContext {
  const env: Environment = readEnvironment(io.env)
  const globals: TargetFlags & { output?: OutputFormat } = command.optsWithGlobals()
  const color = !env.noColor
  let client: ApiClient | undefined
  return {
    env,
    cwd: io.cwd,
    signal: io.signal,
    output: createOutput(io.stdout, io.stderr, color),
    format: formatOf(command),
    api: () => {
      client ??= createApiClient(resolveTarget(globals, env, io.cwd))
      return client
    },
  }
}

/** `-o` may stand before or after the command's name; the later one wins. */
function formatOf(command: Command): OutputFormat {
  const own: { output?: OutputFormat } = command.opts()
  const globals: { output?: OutputFormat } = command.parent?.opts() ?? {}
  return own.output ?? globals.output ?? 'text'
}

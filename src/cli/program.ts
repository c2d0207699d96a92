/** Turns the command table into a parser, runs one command, answers the exit code. Never exits the process. */
import { Command, CommanderError } from 'commander'
import type { KobeApi } from '../client/api.ts'
import { type Environment, readEnvironment } from '../config.ts'
import { KOBE_VERSION } from '../version.ts'
import { fillCommand, type Invoke, toOption } from './build-command.ts'
import { COMMANDS } from './command-table.ts'
import type { CommandContext, CommandEntry } from './define-command.ts'
import { OUTPUT_OPTION, TARGET_OPTIONS } from './global-options.ts'
import { handleError } from './handle-error.ts'
import type { EndingSignal } from './interrupt.ts'
import { createOutput, OUTPUT_FORMATS, type OutputFormat, type Sink } from './output.ts'
import { EXIT, UserError } from './user-error.ts'

export interface CliIo {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly stdout: Sink
  readonly stderr: Sink
  readonly signal: AbortSignal
  /** What the user typed to get here: `kobe`, or `kubectl kobe` for the plugin. */
  readonly program?: string
  readonly onSignal?: (listener: (signal: EndingSignal) => void) => () => void
  /** Asks a person on the terminal; absent: nobody is there. */
  readonly ask?: (question: string) => Promise<string>
}

export async function runCli(io: CliIo): Promise<number> {
  // A shell that asks what could be typed next must not wait for a parser, nor see its errors.
  if (io.argv[0] === '__complete') return await (await import('./completion/answer.ts')).answerCompletion(io)
  let exitCode: number = EXIT.ok
  const format = formatIn(io.argv)
  try {
    const program = createProgram(io, async (command, definition, input) => {
      exitCode = (await definition.run?.(createContext(command, io), input)) ?? EXIT.ok
    })
    await program.parseAsync(helpLast(io.argv), { from: 'user' })
    return exitCode
  } catch (error) {
    // Help and version end the parse with an error too.
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help')) return EXIT.ok
    const known = error instanceof CommanderError ? usageError(error, io) : error
    return handleError(known, { format, stderr: io.stderr, signal: io.signal })
  }
}

/** `kobe help lease` is `kobe lease --help`, and bare `kobe` is `kobe --help`. */
function helpLast(argv: readonly string[]): string[] {
  if (argv.length === 0) return ['--help']
  return argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv]
}

/** The table comes in as an argument where a test or a generator wants to see the parser. */
export function createProgram(io: CliIo, invoke: Invoke, entries: readonly CommandEntry[] = COMMANDS): Command {
  const program = new Command(io.program ?? 'kobe')
  program
    .description('Warm, leasable Kubernetes clusters, kept fresh.')
    .version(KOBE_VERSION)
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stdout.write(text),
      outputError: () => undefined,
    })
    .addHelpText('after', `\n\`${program.name()} <command> --help\` has examples and all options of one command.`)
  for (const option of [...TARGET_OPTIONS, OUTPUT_OPTION]) program.addOption(toOption(option))
  for (const { name, summary, hidden = false } of entries) {
    program.command(name, { hidden }).description(summary).copyInheritedSettings(program)
  }
  program.hook('preSubcommand', async (_, command) => {
    const entry = entries.find(({ name }) => name === command.name())
    if (entry !== undefined) await fillCommand(command, await entry.load(), invoke)
  })
  return program
}

function createContext(command: Command, io: CliIo): CommandContext {
  const env = readEnvironment(io.env)
  const { output: format = 'text', ...flags }: GlobalOptions = globalsOf(command)
  let client: Promise<KobeApi> | undefined
  return {
    env,
    cwd: io.cwd,
    signal: io.signal,
    format,
    terminal: isDrawable(io.stdout, env, format) ? io.stdout : undefined,
    ask: io.ask,
    onSignal: io.onSignal ?? (() => () => undefined),
    output: createOutput(io.stdout, io.stderr, { color: !env.noColor, format }),
    api: () => {
      client ??= connect(flags, env, io.cwd)
      return client
    },
  }
}

const isDrawable = ({ isTTY }: Sink, { plainTerminal }: Environment, format: OutputFormat): boolean =>
  isTTY === true && !plainTerminal && (format === 'text' || format === 'wide')

async function connect(flags: GlobalOptions, env: Environment, cwd: string): Promise<KobeApi> {
  const [{ createApi }, { resolveTarget }] = await Promise.all([
    import('../client/api.ts'),
    import('../client/target.ts'),
  ])
  return createApi(await resolveTarget(flags, env, cwd))
}

interface GlobalOptions {
  readonly endpoint?: string
  readonly target?: string
  readonly tokenFile?: string
  readonly ca?: string
  readonly output?: OutputFormat
}

/** Options may stand before or after the name of the command; the later one wins. */
function globalsOf(command: Command): GlobalOptions {
  const outer: GlobalOptions = command.parent === null ? {} : globalsOf(command.parent)
  const own: GlobalOptions = command.opts()
  return { ...outer, ...own }
}

/** The format of an error is needed even where the command line cannot be parsed. */
function formatIn(argv: readonly string[]): OutputFormat {
  const own = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : argv.length)
  const at = own.findLastIndex((word) => /^(-o|--output)(=|$)/.test(word) || /^-o[a-z]+$/.test(word))
  const word = own[at] ?? ''
  const value = word === '-o' || word === '--output' ? own[at + 1] : word.replace(/^(--output=|-o=?)/, '')
  return OUTPUT_FORMATS.find((format) => format === value) ?? 'text'
}

function usageError(error: CommanderError, { argv, program = 'kobe' }: CliIo): UserError {
  const named = COMMANDS.find(({ name }) => name === argv.find((word) => !word.startsWith('-')))
  const [message = '', hint] = error.message.replace(/^error: /, '').split('\n')
  return new UserError(message, {
    why: hint?.replace(/^\((.*)\)$/, '$1'),
    fix: `\`${named === undefined ? program : `${program} ${named.name}`} --help\` shows how it is written`,
    exitCode: EXIT.usage,
  })
}

/** What can be typed next, read off the command table; names of pools, leases, clusters and targets come from where they are. */
import type {
  ArgumentDefinition,
  CommandDefinition,
  CommandEntry,
  OptionDefinition,
  ValueKind,
} from '../define-command.ts'
import { OUTPUT_OPTION, TARGET_OPTIONS } from '../global-options.ts'

export interface Candidate {
  readonly value: string
  readonly description?: string
}

/** Candidates, or `files`: the shell knows those better. */
export type Answer = readonly Candidate[] | 'files'

/** Names of a kind, such as the pools of the endpoint that the words before choose; `values`: the arguments so far. */
export type Names = (
  kind: Exclude<ValueKind, 'file'>,
  given: GivenOptions,
  values: readonly string[],
) => Promise<readonly Candidate[]>

export type GivenOptions = Readonly<Record<string, string>>

interface Place {
  readonly options: readonly OptionDefinition[]
  readonly args: readonly ArgumentDefinition[]
  readonly subcommands: readonly CommandEntry[]
}

const ROOT_OPTIONS = [...TARGET_OPTIONS, OUTPUT_OPTION]

/** `words` are those after the program's name; the last is the one being typed, and may be empty. */
export async function complete(
  words: readonly string[],
  entries: readonly CommandEntry[],
  names: Names,
): Promise<Answer> {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  if (before.includes('--')) return 'files'
  const walked = await walk(before, entries)
  const { place, given, open } = walked
  const source = { typed, given, values: walked.values, names }
  if (open !== undefined) return await valuesOf(open, source)
  if (/^--[\w-]+=/.test(typed)) return await assigned(place, source)
  if (typed.startsWith('-')) return startingWith(typed, place.options.flatMap(flagsOf))
  if (place.subcommands.length > 0) return startingWith(typed, place.subcommands.filter(isShown).map(asCandidate))
  return await argumentValues(walked, source)
}

interface Source {
  readonly typed: string
  readonly given: GivenOptions
  readonly values: readonly string[]
  readonly names: Names
}

async function argumentValues({ place, values }: Walked, source: Source): Promise<Answer> {
  const argument = place.args[values.length] ?? place.args.findLast(({ rest }) => rest === true)
  return argument === undefined ? [] : await valuesOf(refined(argument, values), source)
}

/** `--target=ci`: what stands before the equals sign comes back with each candidate. */
async function assigned({ options }: Place, { typed, ...source }: Source): Promise<Answer> {
  const at = typed.indexOf('=')
  const option = find(options, typed.slice(0, at))
  if (option === undefined) return []
  const answer = await valuesOf(option, { ...source, typed: typed.slice(at + 1) })
  if (answer === 'files') return answer
  return answer.map((candidate) => ({ ...candidate, value: `${typed.slice(0, at)}=${candidate.value}` }))
}

interface Walked {
  readonly place: Place
  /** Arguments so far. */
  readonly values: readonly string[]
  readonly given: GivenOptions
  /** The option whose value is being typed. */
  readonly open: OptionDefinition | undefined
}

async function walk(words: readonly string[], entries: readonly CommandEntry[]): Promise<Walked> {
  const start: Place = { options: ROOT_OPTIONS, args: [], subcommands: entries }
  let walked: Walked = { place: start, values: [], given: {}, open: undefined }
  for (const word of words) walked = await step(walked, word)
  return walked
}

async function step(walked: Walked, word: string): Promise<Walked> {
  const { place, values, given, open } = walked
  if (open !== undefined) return { ...walked, given: { ...given, [longOf(open)]: word }, open: undefined }
  if (word.startsWith('-')) return stepOption(walked, word)
  const entry = place.subcommands.find(({ name }) => name === word)
  return entry === undefined
    ? { ...walked, values: [...values, word] }
    : { ...walked, place: placeOf(await entry.load()) }
}

function stepOption(walked: Walked, word: string): Walked {
  const [flag = '', value] = word.split('=', 2)
  if (value !== undefined) return { ...walked, given: { ...walked.given, [flag]: value } }
  const option = find(walked.place.options, word)
  return { ...walked, open: option !== undefined && takesValue(option) ? option : undefined }
}

function placeOf({ args = [], options = [], subcommands = [], offline = false }: CommandDefinition): Place {
  return { args, options: [...options, ...(offline ? [] : TARGET_OPTIONS), OUTPUT_OPTION], subcommands }
}

/** `explain pool <name>` names a pool, `explain lease <name>` a lease. */
function refined(argument: ArgumentDefinition, values: readonly string[]): ArgumentDefinition {
  if (values[0] !== 'pool' || argument.complete !== 'lease') return argument
  return { ...argument, complete: 'pool' }
}

async function valuesOf(
  { choices, complete: kind }: Pick<ArgumentDefinition, 'choices' | 'complete'>,
  { typed, given, values, names }: Source,
): Promise<Answer> {
  if (kind === 'file') return 'files'
  const all = choices?.map((value) => ({ value })) ?? (kind === undefined ? [] : await names(kind, given, values))
  return startingWith(typed, all)
}

function flagsOf({ flags, description }: OptionDefinition): Candidate[] {
  return flags
    .split(/[ ,]+/)
    .filter((word) => word.startsWith('--'))
    .map((value) => ({ value, description }))
}

const takesValue = ({ flags }: OptionDefinition): boolean => flags.includes('<')
const longOf = ({ flags }: OptionDefinition): string => /--[\w-]+/.exec(flags)?.[0] ?? ''
const find = (options: readonly OptionDefinition[], flag: string): OptionDefinition | undefined =>
  options.find(({ flags }) => flags.split(/[ ,]+/).includes(flag))
const isShown = ({ hidden }: CommandEntry): boolean => hidden !== true
const asCandidate = ({ name, summary }: CommandEntry): Candidate => ({ value: name, description: summary })

function startingWith(typed: string, all: readonly Candidate[]): readonly Candidate[] {
  return all.filter(({ value }) => value.startsWith(typed))
}

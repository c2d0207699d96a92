/**
 * `kobe __complete <words>`: one candidate per line, a tab before its description, and a last line `:<n>` as kubectl wants
 * it from its plugins: 4, no files; 0, let the shell offer files. Whatever goes wrong, the shell gets nothing to offer.
 */

import { createApi, type KobeApi, type LeaseSummary } from '../../client/api.ts'
import { configFiles, resolveTarget } from '../../client/target.ts'
import { type Environment, readEnvironment } from '../../config.ts'
import { COMMANDS } from '../command-table.ts'
import type { ValueKind } from '../define-command.ts'
import { isActive } from '../find-lease.ts'
import type { CliIo } from '../program.ts'
import { type Candidate, complete, type GivenOptions, type Names } from './candidates.ts'

/** A shell that hangs at a key press is worse than one that offers nothing. */
const PATIENCE_MS = 2_000

export async function answerCompletion({ argv, env, cwd, stdout }: CliIo): Promise<number> {
  const answer = await complete(argv.slice(1), COMMANDS, namesFrom(readEnvironment(env), cwd)).catch(() => [])
  const lines = answer === 'files' ? [] : answer.map(lineOf)
  stdout.write(`${[...lines, answer === 'files' ? ':0' : ':4'].join('\n')}\n`)
  return 0
}

function lineOf({ value, description }: Candidate): string {
  return description === undefined ? value : `${value}\t${description.replaceAll(/\s+/g, ' ')}`
}

function namesFrom(env: Environment, cwd: string): Names {
  const signal = AbortSignal.timeout(PATIENCE_MS)
  return async (kind, given, values) => {
    if (kind === 'target') {
      const files = await configFiles(env, cwd)
      return files.flatMap(({ targets }) =>
        Object.entries(targets).map(([value, { endpoint }]) => ({ value, description: endpoint })),
      )
    }
    const api = createApi(await resolveTarget(flagsOf(given), env, cwd))
    return await NAMES[kind](api, signal, values[0])
  }
}

function flagsOf(given: GivenOptions) {
  const pairs = [
    ['endpoint', given['--endpoint']],
    ['target', given['--target']],
    ['tokenFile', given['--token-file']],
    ['ca', given['--ca']],
  ] as const
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}

async function pools(api: KobeApi, signal: AbortSignal): Promise<readonly Candidate[]> {
  const all = await api.call('listPools', {}, { signal })
  return all.map(({ name, phase, ready }) => ({ value: name, description: `${phase ?? 'Unknown'}, ${ready} ready` }))
}

type NamesOfApi = (api: KobeApi, signal: AbortSignal, first: string | undefined) => Promise<readonly Candidate[]>

async function clusters(api: KobeApi, signal: AbortSignal): Promise<readonly Candidate[]> {
  const answer = await api.call('listClusters', {}, { signal })
  return answer.clusters.map(({ name, state }) => ({ value: name, description: state }))
}

/** Clusters first: an operation is mostly named by the cluster that it holds. */
async function operations(api: KobeApi, signal: AbortSignal): Promise<readonly Candidate[]> {
  const [held, answer] = await Promise.all([clusters(api, signal), api.call('listOperations', {}, { signal })])
  const own = answer.operations.map(({ name, type, phase, cluster }) => ({
    value: name,
    description: `${type} of ${cluster}, ${phase}`,
  }))
  return [...held, ...own]
}

/** Groups of the cluster that is named before, and the types that stand for several of them. */
async function groups(api: KobeApi, signal: AbortSignal, name = ''): Promise<readonly Candidate[]> {
  const cluster = await api.call('getCluster', { params: { name } }, { signal })
  const types = [...new Set(cluster.groups.map(({ type }) => type))]
  const named = cluster.groups.map((group) => ({ value: group.name, description: `group of type ${group.type}` }))
  const taken = new Set(named.map(({ value }) => value))
  const others = types.filter((type) => !taken.has(type))
  return [...named, ...others.map((value) => ({ value, description: `every group of type ${value}` }))]
}

/** Ids and names: either will do. */
async function leases(api: KobeApi, signal: AbortSignal): Promise<readonly Candidate[]> {
  return candidatesOf((await api.call('listLeases', {}, { signal })).filter(isActive))
}

/** Those that have ended first: they are what is asked about. */
async function anyLeases(api: KobeApi, signal: AbortSignal): Promise<readonly Candidate[]> {
  const all = await api.call('listLeases', {}, { signal })
  return candidatesOf(all.toSorted((left, right) => Number(isActive(left)) - Number(isActive(right))))
}

function candidatesOf(leases: readonly LeaseSummary[]): readonly Candidate[] {
  return leases.flatMap(({ id, alias, profile, phase }) => {
    const description = `${phase}, from ${profile}`
    return [...(alias === undefined ? [] : [{ value: alias, description }]), { value: id, description }]
  })
}

const NAMES: Readonly<Record<Exclude<ValueKind, 'file' | 'target'>, NamesOfApi>> = {
  pool: pools,
  lease: leases,
  'any-lease': anyLeases,
  cluster: clusters,
  operation: operations,
  group: groups,
}

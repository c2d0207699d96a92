/**
 * `kobe __complete <words>`: one candidate per line, a tab before its description, and a last line `:<n>` as kubectl wants
 * it from its plugins: 4, no files; 0, let the shell offer files. Whatever goes wrong, the shell gets nothing to offer.
 */

import { createApi, type KobeApi } from '../../client/api.ts'
import { configFiles, resolveTarget } from '../../client/target.ts'
import { type Environment, readEnvironment } from '../../config.ts'
import { COMMANDS } from '../command-table.ts'
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
  return async (kind, given) => {
    if (kind === 'target') {
      const files = await configFiles(env, cwd)
      return files.flatMap(({ targets }) =>
        Object.entries(targets).map(([value, { endpoint }]) => ({ value, description: endpoint })),
      )
    }
    const api = createApi(await resolveTarget(flagsOf(given), env, cwd))
    return kind === 'pool' ? await pools(api, signal) : await leases(api, signal)
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

/** Ids and names: either will do. */
async function leases(api: KobeApi, signal: AbortSignal): Promise<readonly Candidate[]> {
  const active = (await api.call('listLeases', {}, { signal })).filter(isActive)
  return active.flatMap(({ id, alias, profile, phase }) => {
    const description = `${phase}, from ${profile}`
    return [...(alias === undefined ? [] : [{ value: alias, description }]), { value: id, description }]
  })
}

/** Which lease a user means: an id, an alias, a pool with one active lease, or nothing at all. */
import type { LeaseSummary } from '../client/api.ts'
import { choose } from './choose.ts'
import type { CommandContext } from './define-command.ts'
import { EXIT, UserError } from './user-error.ts'

const ACTIVE: ReadonlySet<string> = new Set(['Pending', 'Bound'])

export const isActive = (lease: LeaseSummary): boolean => ACTIVE.has(lease.phase)

/** The caller's leases that are not over. */
export async function activeLeases({ api, signal }: CommandContext): Promise<readonly LeaseSummary[]> {
  return (await (await api()).call('listLeases', {}, { signal })).filter(isActive)
}

export async function findLease(context: CommandContext, target: string | undefined): Promise<string> {
  if (target?.startsWith('lease-')) return target
  const active = await activeLeases(context)
  const named = target === undefined ? active : matching(active, target)
  const [only, ...others] = named
  if (only === undefined) {
    throw new UserError(
      target === undefined
        ? 'you have no active lease'
        : `no active lease is called ${target} or comes from such a pool`,
      { fix: '`kobe list` shows your leases', exitCode: EXIT.notFound },
    )
  }
  if (others.length === 0) return only.id
  const rows = named.map(({ id, profile, phase, alias = '' }) => [id, profile, phase, alias])
  const chosen = await choose(context, 'Which lease?', rows)
  if (chosen !== undefined) return chosen
  throw new UserError(`${named.length} active leases fit: ${named.map(({ id }) => id).join(', ')}`, {
    fix: 'name one of these ids',
    exitCode: EXIT.usage,
  })
}

/** An alias is more precise than a pool name. */
export function matching(leases: readonly LeaseSummary[], target: string): readonly LeaseSummary[] {
  const byAlias = leases.filter((lease) => lease.alias === target)
  return byAlias.length > 0 ? byAlias : leases.filter((lease) => lease.profile === target)
}

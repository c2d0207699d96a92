/** Which lease a user means: an id, an alias, a pool with one active lease, or nothing at all. */
import type { LeaseSummary } from '../client/api.ts'
import { choose } from './choose.ts'
import type { CommandContext } from './define-command.ts'
import { EXIT, UserError } from './user-error.ts'

const ACTIVE: ReadonlySet<string> = new Set(['Pending', 'Bound'])

export const isActive = (lease: LeaseSummary): boolean => ACTIVE.has(lease.phase)

/** The caller's leases that are not over. */
export async function activeLeases(context: CommandContext): Promise<readonly LeaseSummary[]> {
  return (await allLeases(context)).filter(isActive)
}

async function allLeases({ api, signal }: CommandContext): Promise<readonly LeaseSummary[]> {
  return await (await api()).call('listLeases', {}, { signal })
}

/** `any`: one that has ended and is still listed will do. */
export async function findLease(
  context: CommandContext,
  target: string | undefined,
  among: 'active' | 'any' = 'active',
): Promise<string> {
  if (target?.startsWith('lease-')) return target
  const leases = among === 'active' ? await activeLeases(context) : await allLeases(context)
  const named = target === undefined ? leases : matching(leases, target)
  const [only, ...others] = named
  const kind = among === 'active' ? 'active lease' : 'lease'
  if (only === undefined) {
    throw new UserError(
      target === undefined ? `you have no ${kind}` : `no ${kind} is called ${target} or comes from such a pool`,
      { fix: '`kobe list` shows your leases', exitCode: EXIT.notFound },
    )
  }
  if (others.length === 0) return only.id
  const rows = named.map(({ id, profile, phase, alias = '' }) => [id, profile, phase, alias])
  const chosen = await choose(context, 'Which lease?', rows)
  if (chosen !== undefined) return chosen
  throw new UserError(`${named.length} ${kind}s fit: ${named.map(({ id }) => id).join(', ')}`, {
    fix: 'name one of these ids',
    exitCode: EXIT.usage,
  })
}

/** An alias is more precise than a pool name. */
export function matching(leases: readonly LeaseSummary[], target: string): readonly LeaseSummary[] {
  const byAlias = leases.filter((lease) => lease.alias === target)
  return byAlias.length > 0 ? byAlias : leases.filter((lease) => lease.profile === target)
}

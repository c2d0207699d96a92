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

/** Which leases count: those that are not over; or, where none of the first sort fits, also the others that are still listed. */
export type Among = 'active' | 'active first' | 'ended first'

export async function findLease(
  context: CommandContext,
  target: string | undefined,
  among: Among = 'active',
): Promise<string> {
  if (target?.startsWith('lease-')) return target
  const named = fitting(await allLeases(context), target, among)
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

function fitting(all: readonly LeaseSummary[], target: string | undefined, among: Among): readonly LeaseSummary[] {
  const [active, ended] = [all.filter(isActive), all.filter((lease) => !isActive(lease))]
  const order = { active: [active], 'active first': [active, ended], 'ended first': [ended, active] }[among]
  const named = order.map((leases) => (target === undefined ? leases : matching(leases, target)))
  return named.find((leases) => leases.length > 0) ?? []
}

/** An alias is more precise than a pool name. */
export function matching(leases: readonly LeaseSummary[], target: string): readonly LeaseSummary[] {
  const byAlias = leases.filter((lease) => lease.alias === target)
  return byAlias.length > 0 ? byAlias : leases.filter((lease) => lease.profile === target)
}

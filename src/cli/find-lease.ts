/** Which lease a user means: an id, an alias, a pool with one active lease, or nothing at all. */
import type { CommandContext } from './define-command.ts'
import { EXIT, UserError } from './user-error.ts'
import { asList, type LeaseView } from './wire.ts'

const ACTIVE = new Set(['Pending', 'Bound'])

export async function findLease(context: CommandContext, target: string | undefined): Promise<string> {
  if (target?.startsWith('lease-')) return target
  const all = asList<LeaseView>(await context.api().call('GET', '/v1/leases', undefined, context.signal))
  const active = all.filter((lease) => ACTIVE.has(lease.phase))
  const named = target === undefined ? active : matching(active, target)
  const [only, ...others] = named
  if (only === undefined) {
    throw new UserError(
      target === undefined
        ? 'you have no active lease'
        : `no active lease is called ${target} or comes from such a pool`,
      {
        fix: '`kobe list` shows your leases',
        exitCode: EXIT.notFound,
      },
    )
  }
  if (others.length === 0) return only.id
  throw new UserError(`${named.length} active leases fit: ${named.map((lease) => lease.id).join(', ')}`, {
    fix: 'name one of these ids',
    exitCode: EXIT.usage,
  })
}

/** An alias is more precise than a pool name. */
function matching(leases: readonly LeaseView[], target: string): readonly LeaseView[] {
  const byAlias = leases.filter((lease) => lease.alias === target)
  return byAlias.length > 0 ? byAlias : leases.filter((lease) => lease.profile === target)
}

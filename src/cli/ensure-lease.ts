/** `kobe lease --ensure`: the lease of that name is taken as it is, and kept longer where that is asked for and allowed. */
import type { LeaseSummary } from '../client/api.ts'
import { KobeError } from '../client/errors.ts'
import type { CommandContext } from './define-command.ts'
import { activeLeases } from './find-lease.ts'
import { EXIT, UserError } from './user-error.ts'

export async function findByAlias(
  context: CommandContext,
  alias: string,
  pool: string | undefined,
): Promise<LeaseSummary | undefined> {
  const found = (await activeLeases(context)).find((lease) => lease.alias === alias)
  if (found === undefined || pool === undefined || found.profile === pool) return found
  throw new UserError(`${alias} is a lease from ${found.profile}, not from ${pool}`, {
    fix: `\`kobe release ${found.id}\` first, or choose another --name`,
    exitCode: EXIT.usage,
  })
}

/** A lease that may not be extended is still there: that is said, and it is used. */
export async function extendIfAsked(
  context: CommandContext,
  lease: LeaseSummary,
  ttl: string | undefined,
): Promise<LeaseSummary> {
  if (ttl === undefined || lease.phase !== 'Bound') return lease
  const input = { params: { id: lease.id }, body: { extend_ttl: ttl } }
  try {
    const { expires_at } = await (await context.api()).call('extendLease', input, { signal: context.signal })
    return { ...lease, expires_at }
  } catch (error) {
    if (!(error instanceof KobeError) || error.status !== 400) throw error
    context.output.note(`${lease.id} is not extended: ${error.message}`)
    return lease
  }
}

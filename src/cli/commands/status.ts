import type { Answer, KobeApi, LeaseSummary, PoolView } from '../../client/api.ts'
import { KobeError } from '../../client/errors.ts'
import { KOBE_VERSION } from '../../version.ts'
import { type CommandContext, defineCommand } from '../define-command.ts'
import { isActive } from '../find-lease.ts'
import { createLeaseFiles } from '../lease-files.ts'
import { printLeases } from '../lease-table.ts'
import { printPools } from '../pool-table.ts'
import { printFields } from '../show-lease.ts'
import { EXIT, userErrorOf } from '../user-error.ts'

export const statusCommand = defineCommand({
  details: 'Without a token that is accepted it still says what the endpoint is; the exit code is 3 then.',
  examples: [
    ['kobe status', 'where you are, what is there, what is yours'],
    ['kobe status -a', 'with leases that are over'],
  ],
  options: [{ flags: '-a, --all', description: 'also leases that are over but not yet cleaned up' }],
  async run(context, input) {
    const api = await context.api()
    const facts = await gather(context, api, input.options['all'] === true)
    const { output, format } = context
    if (format === 'json' || format === 'yaml') await output.data(asData(api, facts), format)
    else print(context, api, facts)
    if (facts.refused === undefined) return EXIT.ok
    const { message, why, fix, exitCode } = userErrorOf(facts.refused)
    output.note(
      `kobe: ${message}${why === undefined ? '' : `\n  why: ${why}`}${fix === undefined ? '' : `\n  fix: ${fix}`}`,
    )
    return exitCode
  },
})

interface Facts {
  readonly status: Answer<'getStatus'>
  readonly pools: readonly PoolView[]
  readonly leases: readonly LeaseSummary[]
  /** Why pools and leases could not be read. */
  readonly refused?: KobeError
  /** Kubeconfigs whose lease is over. */
  readonly orphans: readonly string[]
}

async function gather(context: CommandContext, api: KobeApi, all: boolean): Promise<Facts> {
  const { signal } = context
  const reads = Promise.all([api.call('listPools', {}, { signal }), api.call('listLeases', {}, { signal })])
  const [status, lists] = await Promise.all([api.call('getStatus', {}, { signal }), reads.catch(refusedOnly)])
  if (lists instanceof KobeError) return { status, pools: [], leases: [], refused: lists, orphans: [] }
  const [pools, leases] = lists
  const living = new Set(leases.filter(isActive).map(({ id }) => id))
  const files = createLeaseFiles(context.env, api.target.endpoint).tracked()
  return {
    status,
    pools,
    leases: all ? leases : leases.filter(isActive),
    orphans: files.filter(({ leaseId }) => !living.has(leaseId)).map(({ path }) => path),
  }
}

function refusedOnly(error: unknown): KobeError {
  if (error instanceof KobeError && error.code === 'refused') return error
  throw error
}

function asData({ target }: KobeApi, { status, pools, leases, refused, orphans }: Facts) {
  return {
    cliVersion: KOBE_VERSION,
    ...(target.name === undefined ? {} : { target: target.name }),
    endpoint: target.endpoint,
    endpointVersion: status.version,
    auth: status.auth,
    leases,
    pools,
    ...(refused === undefined ? {} : { poolsError: refused.message }),
    orphanKubeconfigs: orphans,
  }
}

function print(context: CommandContext, { target }: KobeApi, { status, pools, leases, refused, orphans }: Facts): void {
  const { output, format } = context
  printFields(context, [
    ['Target', target.name],
    ['Endpoint', `${target.endpoint} (from ${target.source})`],
    ['Version', status.version],
    ['You', status.auth.sessions[0]?.identity ?? 'anonymous'],
  ])
  for (const { reason, message } of status.notes ?? []) output.note(`${reason}: ${message}`)
  if (refused !== undefined) return
  output.line()
  if (pools.length === 0) output.line('No pools.')
  else printPools(output, format, pools)
  output.line()
  if (leases.length === 0) output.line('You have no leases.')
  else printLeases(output, format, leases)
  if (orphans.length === 0) return
  output.note(`\n${orphans.length} kubeconfig(s) of leases that are over; \`kobe purge --orphans-only\` removes them`)
}

import { KobeError } from '../../client/errors.ts'
import { waitForLease } from '../../client/wait-for-lease.ts'
import { type CommandContext, type CommandInput, defineCommand, listOption, stringOption } from '../define-command.ts'
import { durationOption } from '../duration-option.ts'
import { findLease } from '../find-lease.ts'
import { createLeaseFiles } from '../lease-files.ts'
import { printPools } from '../pool-table.ts'
import { reportWaiting, showLease } from '../show-lease.ts'
import { EXIT, UserError } from '../user-error.ts'
import { parsePoolGoal, waitForPool } from '../wait-for-pool.ts'

export const waitCommand = defineCommand({
  details: [
    'Of a lease: until a cluster is bound (--for bound, the default) or until the lease is over (--for ended).',
    'Of a pool: until it is healthy (the default), ready (at least one member is free), ready=<n> or empty (no member is left).',
    'Several --for: until one of them holds.',
    '',
    'The wait ends at once, with code 8, when the pool is stalled: that needs a person, and the message says what has to change.',
    'A wait that is not over after --timeout ends with code 5 and says what is missing.',
  ].join('\n'),
  examples: [
    ['kobe wait lease dev --kubeconfig ./kubeconfig', 'for a lease made with --no-wait'],
    ['kobe wait pool ci-small --for ready=2 --timeout 5m', 'for two free clusters'],
    ['kobe wait lease dev --for ended', 'until it is given back'],
  ],
  args: [
    { name: 'kind', description: 'what kind of thing', required: true, choices: ['lease', 'pool'] },
    {
      name: 'name',
      description: 'id, alias or pool of the lease; name of the pool',
      required: true,
      complete: 'lease',
    },
  ],
  options: [
    { flags: '--for <state>', description: 'what to wait for; may be repeated', repeatable: true },
    { flags: '--timeout <duration>', description: 'give up waiting after this long (default: never)' },
    { flags: '--kubeconfig <path>', description: 'of a lease: write its kubeconfig here', complete: 'file' },
  ],
  async run(context, input) {
    const timeoutMs = durationOption(input, 'timeout')
    const [kind, name = ''] = input.args
    try {
      if (kind === 'pool') return await waitPool(context, { name, states: listOption(input, 'for'), timeoutMs })
      return await waitLease(context, input, { name, timeoutMs })
    } finally {
      context.output.progressDone()
    }
  },
})

async function waitPool(
  context: CommandContext,
  asked: { readonly name: string; readonly states: readonly string[]; readonly timeoutMs: number | undefined },
): Promise<number> {
  const { output, format } = context
  const goals = (asked.states.length === 0 ? ['healthy'] : asked.states).map(parsePoolGoal)
  const pool = await waitForPool(context, await context.api(), { ...asked, goals })
  if (format === 'json' || format === 'yaml') await output.data(pool, format)
  else printPools(output, format, [pool])
  return EXIT.ok
}

const LEASE_STATES = ['bound', 'ended']

async function waitLease(
  context: CommandContext,
  input: CommandInput,
  { name, timeoutMs }: { readonly name: string; readonly timeoutMs: number | undefined },
): Promise<number> {
  const states = listOption(input, 'for')
  const unknown = states.find((state) => !LEASE_STATES.includes(state))
  if (unknown !== undefined) {
    throw new UserError(`a lease is never ${unknown}`, {
      fix: `use ${LEASE_STATES.join(' or ')}`,
      exitCode: EXIT.usage,
    })
  }
  const api = await context.api()
  const id = await findLease(context, name)
  if (states.includes('ended')) {
    const { waitForEnd } = await import('../wait-for-end.ts')
    await showLease(context, await waitForEnd(context, api, { id, timeoutMs, orBound: states.includes('bound') }))
    return EXIT.ok
  }
  const report = reportWaiting(context)
  const lease = await waitForLease(api, id, {
    signal: context.signal,
    timeoutMs,
    onWaiting: async (waiting) => {
      report(waiting)
      await failIfStalled(context, waiting.profile)
    },
  })
  context.output.progressDone()
  const path = stringOption(input, 'kubeconfig')
  const { kubeconfig, profile: pool } = lease
  const files = createLeaseFiles(context.env, api.target.endpoint)
  await showLease(context, lease, path === undefined ? undefined : await files.write({ id, pool, kubeconfig }, path))
  return EXIT.ok
}

async function failIfStalled(context: CommandContext, name: string): Promise<void> {
  const api = await context.api()
  const { stalled } = await api.call('getPool', { params: { name } }, { signal: context.signal })
  if (stalled === undefined) return
  throw new KobeError('stalled', `pool ${name} is stalled: ${stalled.reason}`, { why: stalled.message })
}

import type { KobeApi, LeaseDetail, LeaseSummary } from '../../client/api.ts'
import { leaseBody, releaseLease } from '../../client/lease-cluster.ts'
import { requestLease } from '../../client/lease-request.ts'
import { type UsableLease, waitForLease } from '../../client/wait-for-lease.ts'
import { choosePool } from '../choose-pool.ts'
import { type CommandContext, type CommandInput, defineCommand, stringOption } from '../define-command.ts'
import { leaseVariables, writeDotenv } from '../dotenv.ts'
import { durationOption } from '../duration-option.ts'
import { extendIfAsked, findByAlias } from '../ensure-lease.ts'
import { createLeaseFiles } from '../lease-files.ts'
import { type LeaseRequestOptions, REQUEST_OPTIONS, requestOptions } from '../lease-options.ts'
import { reportWaiting, type ShownLease, showLease } from '../show-lease.ts'
import { EXIT, UserError } from '../user-error.ts'

export const leaseCommand = defineCommand({
  details: [
    'Waits until a cluster is bound, writes a kubeconfig (mode 0600) and prints its path. Meanwhile it says which place in the',
    'queue you have, what is missing and how long it may take: on a terminal in one line, elsewhere a line per change, with',
    '-o json a JSON value per line; all of it on stderr.',
    '',
    'Ctrl-C while waiting gives the request up. --wait-timeout does not: the lease keeps its place.',
  ].join('\n'),
  examples: [
    ['kobe lease ci-small', 'a cluster, for as long as the pool says'],
    ['kobe lease ci-small --ttl 30m --kubeconfig ./kubeconfig', 'for half an hour, kubeconfig here'],
    ['kobe lease ci-small --name dev --ensure --ttl 1h', 'the one called dev: made once, extended from then on'],
    ['kobe lease ci-small --dotenv .env -o json', 'for a script: JSON, and variables for later steps'],
    ['kobe lease ci-small --keepalive', 'until Ctrl-C'],
  ],
  args: [
    {
      name: 'pool',
      description: 'pool to lease from (default: the only one, or you are asked)',
      required: false,
      complete: 'pool',
    },
  ],
  options: [
    ...REQUEST_OPTIONS,
    { flags: '--ensure', description: 'take the active lease called --name, extended by --ttl if given, else make it' },
    { flags: '--keepalive', description: 'stay, keep the lease alive, and release it on Ctrl-C' },
    {
      flags: '--idle-timeout <duration>',
      description: 'release the lease when no heartbeat arrives for so long (default with --keepalive: 2m, else never)',
    },
    {
      flags: '--kubeconfig <path>',
      description: 'where to write the kubeconfig (default: ~/.kube/kobe-<pool>-<id>.yaml)',
      complete: 'file',
    },
    {
      flags: '--dotenv <path>',
      description: 'write KUBECONFIG and KOBE_* variables to this file; lines of others stay',
      complete: 'file',
    },
    { flags: '--print', description: 'print the kubeconfig instead of writing a file' },
    { flags: '--no-wait', description: 'do not wait for a cluster; `kobe wait` does that later' },
    { flags: '--wait-timeout <duration>', description: 'give up waiting after this long; the lease stays queued' },
  ],
  async run(context, input) {
    const asked = parseAsked(input)
    const api = await context.api()
    const held = await obtain(context, api, { ...asked, pool: input.args[0] })
    if (!asked.wait) {
      await showLease(context, held.lease)
      return EXIT.ok
    }
    const usable = await waitOrGiveUp(context, api, { held, timeoutMs: asked.waitTimeoutMs })
    if (asked.print) context.output.line(usable.kubeconfig.trimEnd())
    else await deliver(context, api, { held, usable, asked })
    if (!asked.keepalive) return EXIT.ok
    const { holdLease } = await import('../hold-lease.ts')
    return await holdLease(context, api, { lease: usable, idleTimeout: asked.idleTimeout })
  },
})

interface Asked {
  readonly request: LeaseRequestOptions
  readonly ensure: boolean
  readonly keepalive: boolean
  readonly print: boolean
  readonly wait: boolean
  readonly idleTimeout: string | undefined
  readonly waitTimeoutMs: number | undefined
  readonly kubeconfig: string | undefined
  readonly dotenv: string | undefined
}

const DEFAULT_IDLE_TIMEOUT = '2m'

function parseAsked(input: CommandInput): Asked {
  const on = (name: string) => input.options[name] === true
  durationOption(input, 'idleTimeout')
  const asked: Asked = {
    request: requestOptions(input),
    ensure: on('ensure'),
    keepalive: on('keepalive'),
    print: on('print'),
    wait: input.options['wait'] !== false,
    idleTimeout: stringOption(input, 'idleTimeout') ?? (on('keepalive') ? DEFAULT_IDLE_TIMEOUT : undefined),
    waitTimeoutMs: durationOption(input, 'waitTimeout'),
    kubeconfig: stringOption(input, 'kubeconfig'),
    dotenv: stringOption(input, 'dotenv'),
  }
  for (const [holds, message, fix] of contradictions(asked)) {
    if (holds) throw new UserError(message, { fix, exitCode: EXIT.usage })
  }
  return asked
}

function contradictions(asked: Asked): ReadonlyArray<readonly [boolean, string, string]> {
  const { wait, ensure, keepalive, print, request, dotenv, kubeconfig, waitTimeoutMs } = asked
  return [
    [ensure && request.name === undefined, '--ensure needs --name', 'name the lease that there should be'],
    [!wait && keepalive, '--keepalive cannot go with --no-wait', 'leave one of them out'],
    [!wait && waitTimeoutMs !== undefined, '--wait-timeout cannot go with --no-wait', 'leave one of them out'],
    [
      !wait && (print || dotenv !== undefined || kubeconfig !== undefined),
      'without waiting there is no kubeconfig',
      'leave --no-wait out, or use `kobe wait --kubeconfig <path>` later',
    ],
    [print && (dotenv !== undefined || kubeconfig !== undefined), '--print writes no file', 'leave --print out'],
  ]
}

interface HeldLease {
  readonly lease: ShownLease
  /** Made by this command, so it may give it up. */
  readonly isNew: boolean
}

async function obtain(
  context: CommandContext,
  api: KobeApi,
  asked: Asked & { readonly pool: string | undefined },
): Promise<HeldLease> {
  const existing: LeaseSummary | undefined = asked.ensure
    ? await findByAlias(context, asked.request.name ?? '', asked.pool)
    : undefined
  if (existing !== undefined) return { lease: await extendIfAsked(context, existing, asked.request.ttl), isNew: false }
  const pool = asked.pool ?? (await choosePool(context))
  const { idleTimeout } = asked
  const lease = await requestLease(api, leaseBody({ ...asked.request, idleTimeout, pool }), {
    signal: context.signal,
    budgetMs: asked.waitTimeoutMs,
    onRetry: (error, ms) => context.output.progress(`${error.message}; asking again in ${(ms / 1000).toFixed(1)} s`),
  })
  if ('effective_ttl' in lease && lease.effective_ttl !== undefined)
    context.output.note(`your policy cuts the TTL to ${lease.effective_ttl}`)
  return { lease, isNew: true }
}

async function waitOrGiveUp(
  context: CommandContext,
  api: KobeApi,
  { held, timeoutMs }: { readonly held: HeldLease; readonly timeoutMs: number | undefined },
): Promise<UsableLease> {
  const { signal } = context
  try {
    return await waitForLease(api, held.lease.id, { signal, timeoutMs, onWaiting: reportWaiting(context) })
  } catch (error) {
    if (signal.aborted && held.isNew) await giveUp(context, api, held.lease.id)
    throw error
  } finally {
    context.output.progressDone()
  }
}

async function giveUp({ output }: CommandContext, api: KobeApi, id: string): Promise<void> {
  const gone = await releaseLease(api, id).then(
    () => true,
    () => false,
  )
  output.note(gone ? `${id} is given up` : `${id} could not be given up: \`kobe release ${id}\` does it later`)
}

interface Delivery {
  readonly held: HeldLease
  readonly usable: UsableLease
  readonly asked: Asked
}

/** A cluster that cannot be handed over is given back at once: nobody would know of it. */
async function deliver(context: CommandContext, api: KobeApi, { held, usable, asked }: Delivery): Promise<void> {
  let path: string
  try {
    path = await createLeaseFiles(context.env, api.target.endpoint).write(
      { id: usable.id, pool: usable.profile, kubeconfig: usable.kubeconfig },
      asked.kubeconfig,
    )
    if (asked.dotenv !== undefined) writeDotenv(context.cwd, asked.dotenv, leaseVariables(usable, path))
  } catch (error) {
    if (held.isNew) await giveUp(context, api, usable.id)
    throw error
  }
  await showLease(context, usable satisfies LeaseDetail, path)
}

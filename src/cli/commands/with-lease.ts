import { parseDuration } from '../../api/duration.ts'
import { type LeasedCluster, leaseWith } from '../../client/lease-cluster.ts'
import { type CommandContext, type CommandInput, defineCommand, stringOption } from '../define-command.ts'
import { leaseVariables } from '../dotenv.ts'
import { durationOption } from '../duration-option.ts'
import { asUserError } from '../handle-error.ts'
import { interruptCode } from '../interrupt.ts'
import { REQUEST_OPTIONS, requestOptions } from '../lease-options.ts'
import { runChild } from '../run-child.ts'
import { reportWaiting } from '../show-lease.ts'
import { EXIT, UserError } from '../user-error.ts'

const DEFAULT_IDLE_TIMEOUT = '2m'

export const withLeaseCommand = defineCommand({
  details: [
    'The command finds KUBECONFIG, KOBE_LEASE_ID, KOBE_POOL, KOBE_CLUSTER and KOBE_EXPIRES_AT in its environment. The lease is',
    'kept alive while it runs, and extended as far as your policy allows; SIGINT, SIGTERM and SIGHUP are passed on to it.',
    '',
    'However it ends, the cluster is given back and the kubeconfig removed. Where even that is impossible, as after `kill -9` of',
    'kobe, the heartbeats are missed and the lease ends by itself after --idle-timeout.',
    '',
    'The exit code is that of the command, or 128 + n when signal n ended it; 126: it cannot be run, 127: it is not found,',
    '125: kobe failed, before or after it.',
  ].join('\n'),
  examples: [
    ['kobe with-lease ci-small -- kubectl get ns', 'one command'],
    ["kobe with-lease ci-small --ttl 30m -- sh -c 'kubectl apply -f . && ./test.sh'", 'several, for half an hour'],
    ['kobe with-lease ci-small --idle-timeout 30s -- ./test.sh', 'gone 30 s after this machine went'],
  ],
  args: [
    { name: 'pool', description: 'pool to lease from', required: true, complete: 'pool' },
    { name: 'command', description: 'what to run, after `--`', required: true, rest: true },
  ],
  options: [
    ...REQUEST_OPTIONS,
    {
      flags: '--idle-timeout <duration>',
      description: 'the lease ends when no heartbeat arrives for so long',
      default: DEFAULT_IDLE_TIMEOUT,
    },
    { flags: '--wait-timeout <duration>', description: 'give up, and the lease with it, after waiting this long' },
  ],
  async run(context, input) {
    const asked = parseAsked(input)
    try {
      return await runWithLease(context, asked)
    } catch (error) {
      const known = asUserError(error)
      if (known === undefined) throw error
      throw new UserError(known.message, { ...known, exitCode: EXIT.withLease, cause: error })
    }
  },
})

function parseAsked(input: CommandInput) {
  durationOption(input, 'idleTimeout')
  return {
    ...requestOptions(input),
    pool: input.args[0] ?? '',
    command: input.rest,
    idleTimeout: stringOption(input, 'idleTimeout') ?? DEFAULT_IDLE_TIMEOUT,
    waitTimeoutMs: durationOption(input, 'waitTimeout'),
  }
}

async function runWithLease(
  context: CommandContext,
  { command, ...options }: ReturnType<typeof parseAsked>,
): Promise<number> {
  const { output, signal } = context
  const api = await context.api()
  const cluster = await leaseWith(api, {
    ...options,
    signal,
    onWaiting: reportWaiting(context),
    onTrouble: (error) => output.note(`kobe: ${error.message}${error.why === undefined ? '' : ` (${error.why})`}`),
    onEnded: (error) => output.note(`kobe: the cluster is gone: ${error.message}`),
  }).finally(output.progressDone)
  output.note(`${cluster.id}: cluster ${cluster.clusterName} until ${cluster.expiresAt ?? 'it is released'}`)
  try {
    return signal.aborted ? interruptCode(signal) : await runChild(context, command, variablesOf(cluster))
  } finally {
    await giveBack(context, cluster, options.idleTimeout)
  }
}

function variablesOf({ id, pool, clusterName, expiresAt, kubeconfigPath }: LeasedCluster) {
  const lease = {
    id,
    profile: pool,
    cluster_name: clusterName,
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  }
  return leaseVariables(lease, kubeconfigPath)
}

/** What the command did counts, not whether the thanks arrived: a lease that cannot be released ends by itself. */
async function giveBack({ output }: CommandContext, cluster: LeasedCluster, idleTimeout: string): Promise<void> {
  try {
    await cluster.release()
    output.note(`${cluster.id} released`)
  } catch (error) {
    const known = asUserError(error)
    if (known === undefined) throw error
    const seconds = (parseDuration(idleTimeout) ?? 0) / 1000
    output.note(`kobe: ${cluster.id} could not be released (${known.message}); it ends by itself within ${seconds} s`)
  }
}

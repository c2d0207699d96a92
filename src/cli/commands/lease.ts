import { randomUUID } from 'node:crypto'
import { type CommandContext, type CommandInput, defineCommand, stringOption } from '../define-command.ts'
import { parseDurationOption } from '../duration-option.ts'
import { createLeaseFiles } from '../lease-files.ts'
import { waitForLease } from '../wait-for-lease.ts'
import type { LeaseView } from '../wire.ts'

export const leaseCommand = defineCommand({
  name: 'lease',
  summary: 'Lease a cluster and write its kubeconfig',
  details: [
    'Waits until a cluster is bound, writes a kubeconfig (mode 0600) and prints its path.',
    '',
    'Examples:',
    '  kobe lease ci-small',
    '  kobe lease ci-small --ttl 30m --kubeconfig ./kubeconfig',
    '  kobe lease ci-small -o json',
  ].join('\n'),
  args: [{ name: 'pool', description: 'pool to lease from', required: true }],
  options: [
    { flags: '--ttl <duration>', description: 'how long to keep it, such as 30m or 1h30m (default: set by the pool)' },
    { flags: '--name <alias>', description: 'a name of your own for the lease' },
    {
      flags: '--kubeconfig <path>',
      description: 'where to write the kubeconfig (default: ~/.kube/kobe-<pool>-<id>.yaml)',
    },
    { flags: '--print', description: 'print the kubeconfig instead of writing a file' },
    { flags: '--no-wait', description: 'do not wait for a cluster' },
    { flags: '--wait-timeout <duration>', description: 'give up waiting after this long; the lease stays queued' },
  ],
  async run(context, input) {
    const pool = input.args[0] ?? ''
    const waitTimeout = parseDurationOption(stringOption(input, 'waitTimeout'), '--wait-timeout')
    const created = await requestLease(context, input, pool)
    if (input.options['wait'] === false) return show(context, created)
    const lease = await waitForLease(context, created.id, {
      now: () => Date.now(),
      ...(waitTimeout === undefined ? {} : { timeoutMs: waitTimeout }),
    })
    if (input.options['print'] === true) {
      context.output.line((lease.kubeconfig ?? '').trimEnd())
      return 0
    }
    const files = createLeaseFiles(context.env, context.api().target.endpoint)
    const path = files.write(
      { id: lease.id, pool, kubeconfig: lease.kubeconfig ?? '' },
      stringOption(input, 'kubeconfig'),
    )
    return show(context, lease, path)
  },
})

async function requestLease(context: CommandContext, input: CommandInput, pool: string): Promise<LeaseView> {
  const ttl = stringOption(input, 'ttl')
  const alias = stringOption(input, 'name')
  const body = {
    profile: pool,
    ...(ttl === undefined ? {} : { ttl }),
    ...(alias === undefined ? {} : { alias }),
    idempotencyKey: `kobe-cli-${randomUUID().replaceAll('-', '')}`,
  }
  return (await context.api().call('POST', '/v1/leases', body, context.signal)) as LeaseView
}

function show(context: CommandContext, lease: LeaseView, kubeconfigPath?: string): number {
  const { output, format } = context
  if (format === 'json' || format === 'yaml') {
    const { kubeconfig: _, ...rest } = lease
    output.data(kubeconfigPath === undefined ? rest : { ...rest, kubeconfigPath }, format)
    return 0
  }
  const rows: string[][] = [
    ['Lease', lease.id],
    ['Pool', lease.profile ?? ''],
    ['Phase', lease.phase],
  ]
  if (lease.cluster_name) rows.push(['Cluster', lease.cluster_name])
  if (lease.expires_at) rows.push(['Expires', lease.expires_at])
  if (kubeconfigPath) rows.push(['Kubeconfig', kubeconfigPath])
  for (const [name = '', value = ''] of rows) output.line(`${output.dim(name.padEnd(12))}${value}`)
  if (kubeconfigPath) {
    output.line()
    output.line(`export KUBECONFIG=${kubeconfigPath}`)
  }
  return 0
}

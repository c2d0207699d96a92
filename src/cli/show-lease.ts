/** One lease on the screen, or as data: never with its credential. */
import type { LeaseDetail } from '../client/api.ts'
import { describeWait } from '../client/wait-for-lease.ts'
import type { CommandContext } from './define-command.ts'

/** What `POST /v1/leases` answers is shown the same way. */
export type ShownLease = Pick<LeaseDetail, 'id' | 'phase' | 'profile'> & Partial<LeaseDetail>

export async function showLease(context: CommandContext, lease: ShownLease, kubeconfigPath?: string): Promise<void> {
  const { output, format } = context
  if (format === 'json' || format === 'yaml') {
    const { kubeconfig: _, ...rest } = lease
    await output.data(kubeconfigPath === undefined ? rest : { ...rest, kubeconfigPath }, format)
    return
  }
  const rows: ReadonlyArray<readonly [string, string | undefined]> = [
    ['Lease', lease.id],
    ['Alias', lease.alias],
    ['Pool', lease.profile],
    ['Phase', lease.phase],
    ['Cluster', lease.cluster_name],
    ['TTL', format === 'wide' ? lease.ttl : undefined],
    ['Expires', lease.expires_at],
    ['Kubeconfig', kubeconfigPath],
  ]
  printFields(context, rows)
  if (kubeconfigPath === undefined) return
  output.line()
  output.line(`export KUBECONFIG=${quoted(kubeconfigPath)}`)
}

/** Aligned `Name  value` lines; a field without a value is left out. */
export function printFields(
  { output }: Pick<CommandContext, 'output'>,
  rows: ReadonlyArray<readonly [string, string | undefined]>,
): void {
  for (const [name, value] of rows) if (value) output.line(`${output.dim(name.padEnd(12))}${value}`)
}

/** A path that a shell would split is quoted, others stay as they are. */
export function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}

/** Tells the user what a lease waits for. */
export function reportWaiting({ output }: CommandContext): (lease: LeaseDetail) => void {
  return (lease) => {
    const { id, phase, queue_position, reason, message, estimate_seconds } = lease
    output.progress(describeWait(lease), { id, phase, queue_position, reason, message, estimate_seconds })
  }
}

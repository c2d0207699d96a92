/** Waits until a lease is usable, telling the user what it waits for. */
import type { CommandContext } from './define-command.ts'
import { EXIT, UserError } from './user-error.ts'
import type { LeaseView } from './wire.ts'

/** What one request waits at most, below the time-outs of common proxies. */
const POLL_WAIT_SECONDS = 30
const ENDED = new Set(['Released', 'Expired', 'Recycling', 'Quarantined'])

export interface WaitOptions {
  /** Milliseconds; absent: as long as the server keeps the lease. */
  readonly timeoutMs?: number
  readonly now: () => number
}

export async function waitForLease(context: CommandContext, id: string, options: WaitOptions): Promise<LeaseView> {
  const deadline = options.timeoutMs === undefined ? Number.POSITIVE_INFINITY : options.now() + options.timeoutMs
  let last: LeaseView | undefined
  for (;;) {
    const remaining = Math.ceil((deadline - options.now()) / 1000)
    if (remaining <= 0) throw timedOut(id, last)
    const wait = Math.min(POLL_WAIT_SECONDS, remaining)
    const lease = (await context
      .api()
      .call('GET', `/v1/leases/${id}?wait=${wait}s`, undefined, context.signal)) as LeaseView
    last = lease
    if (lease.phase === 'Bound' && lease.kubeconfig !== undefined) {
      context.output.progressDone()
      return lease
    }
    if (ENDED.has(lease.phase)) throw ended(lease)
    context.output.progress(describeWait(lease))
  }
}

/** One line: place in the queue, what is missing, how long it may take. */
export function describeWait(lease: LeaseView): string {
  const place = lease.queue_position ? `place ${lease.queue_position} in the queue` : 'waiting'
  const reason = lease.reason ?? ''
  const message = lease.message ?? ''
  const estimate = lease.estimate_seconds === undefined ? '' : `about ${lease.estimate_seconds} s`
  return [`${lease.id}: ${place}`, [reason, message].filter(Boolean).join(': '), estimate].filter(Boolean).join(' - ')
}

function timedOut(id: string, last: LeaseView | undefined): UserError {
  return new UserError(`${id} was not ready in time`, {
    ...(last === undefined ? {} : { why: describeWait(last) }),
    fix: `it keeps its place: \`kobe list\` shows it, \`kobe release ${id}\` gives it up`,
    exitCode: EXIT.timeout,
  })
}

function ended(lease: LeaseView): UserError {
  return new UserError(`${lease.id} ended before it was ready: ${lease.phase}`, {
    ...(lease.message === undefined ? {} : { why: lease.message }),
    fix: '`kobe pools` shows whether the pool can serve; then ask again',
    exitCode: EXIT.unavailable,
  })
}

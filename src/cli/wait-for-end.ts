/** Waits until a lease is over. */
import { setTimeout as pause } from 'node:timers/promises'
import type { KobeApi } from '../client/api.ts'
import { KobeError } from '../client/errors.ts'
import type { CommandContext } from './define-command.ts'
import type { ShownLease } from './show-lease.ts'

const LOOK_EVERY_MS = 1_000

export interface EndWait {
  readonly id: string
  readonly timeoutMs: number | undefined
  /** Being bound is enough. */
  readonly orBound: boolean
}

/** Throws `KobeError`: `timeout`, or what the API says. A lease that is not there any more is over. */
export async function waitForEnd(
  { output, signal }: CommandContext,
  api: KobeApi,
  { id, timeoutMs = Number.POSITIVE_INFINITY, orBound }: EndWait,
): Promise<ShownLease> {
  const deadline = performance.now() + timeoutMs
  let last: ShownLease = { id, phase: 'Released', profile: '' }
  for (;;) {
    const lease = await api.call('getLease', { params: { id } }, { signal }).catch(nothingIfGone)
    if (lease === undefined) return { ...last, phase: 'Released' }
    if (!goesOn(lease, orBound)) return lease
    if (performance.now() > deadline) throw timedOut(lease)
    const { phase, expires_at: until = 'a cluster is bound' } = lease
    output.progress(`${id}: ${phase} until ${until}`, { id, phase })
    last = lease
    await pause(LOOK_EVERY_MS, undefined, { signal })
  }
}

const goesOn = ({ phase }: ShownLease, orBound: boolean): boolean =>
  phase === 'Pending' || (phase === 'Bound' && !orBound)

function timedOut({ id, phase }: ShownLease): KobeError {
  return new KobeError('timeout', `${id} is not over`, { why: `it is ${phase}`, fix: `\`kobe release ${id}\` ends it` })
}

function nothingIfGone(error: unknown): undefined {
  if (error instanceof KobeError && error.status === 404) return undefined
  throw error
}

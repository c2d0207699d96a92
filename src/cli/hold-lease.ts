/** `kobe lease --keepalive`: heartbeats and extensions until Ctrl-C, then the lease is released. */
import { parseDuration } from '../api/duration.ts'
import type { KobeApi } from '../client/api.ts'
import type { KobeError } from '../client/errors.ts'
import { keepAlive } from '../client/keep-alive.ts'
import { extensionOf, releaseLease } from '../client/lease-cluster.ts'
import type { UsableLease } from '../client/wait-for-lease.ts'
import type { CommandContext } from './define-command.ts'
import { interruptCode } from './interrupt.ts'
import { createLeaseFiles } from './lease-files.ts'
import { EXIT } from './user-error.ts'

export interface HeldLease {
  readonly lease: UsableLease
  readonly idleTimeout: string | undefined
}

/** Answers the exit code: that of the signal, or that of a lease which ended by itself. */
export async function holdLease(
  context: CommandContext,
  api: KobeApi,
  { lease, idleTimeout }: HeldLease,
): Promise<number> {
  const { output, signal } = context
  output.note(`${lease.id} is kept alive; Ctrl-C releases it`)
  const ended = Promise.withResolvers<KobeError>()
  const alive = keepAlive(api, {
    id: lease.id,
    idleTimeoutMs: parseDuration(idleTimeout ?? ''),
    ...extensionOf(lease, {
      pool: lease.profile,
      onTrouble: (error) => output.note(`${lease.id}: ${error.message}`),
      onEnded: ended.resolve,
    }),
    onExtended: (expiresAt) => output.note(`${lease.id} now expires ${expiresAt}`),
  })
  const over = await Promise.race([ended.promise, aborted(signal)])
  await alive.stop()
  const files = createLeaseFiles(context.env, api.target.endpoint)
  if (over === undefined) {
    await releaseLease(api, lease.id)
    output.note(`${lease.id} released`)
  } else {
    output.note(`${lease.id} is over: ${over.message}`)
  }
  await files.remove(lease.id)
  return over === undefined ? interruptCode(signal) : EXIT.unavailable
}

/** Keeps the process alive meanwhile: the timers of the heartbeats do not. */
function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  const hold = setInterval(() => undefined, 2 ** 30)
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      clearInterval(hold)
      resolve(undefined)
    })
  })
}

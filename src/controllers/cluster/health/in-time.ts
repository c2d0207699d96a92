/** A try that may take only so long. */
import type { Clock } from '../../../kube/clock.ts'
import { isKubeError } from '../../../kube/errors.ts'
import type { Log } from '../../../kube/log.ts'
import { NoAnswer } from './ask.ts'
import { UnusableSecret, type Wrong } from './check.ts'

export interface Limits {
  readonly clock: Clock
  readonly log: Log
  readonly timeoutMs: number
  /** Ends it early. */
  readonly signal: AbortSignal
}

export interface InTime {
  /** What was found; a fault, or that the time is over, is a finding too. */
  readonly result: Promise<Wrong>
  /** The try has come to its end, which may be after its time: it may have something to take back. */
  readonly ended: Promise<void>
}

export function inTime(
  { clock, log, timeoutMs, signal }: Limits,
  run: (signal: AbortSignal) => Promise<Wrong>,
): InTime {
  const time = new AbortController()
  const over = Promise.withResolvers<Wrong>()
  const cancelTimer = clock.setTimer(timeoutMs, () => {
    over.resolve(`no result within ${Math.round(timeoutMs / 1000)} s`)
    time.abort()
  })
  const found = run(AbortSignal.any([signal, time.signal])).catch((error: unknown) => {
    if (!isExpected(error) && !signal.aborted) log.error({ err: error }, 'a health check failed')
    return error instanceof Error ? error.message : String(error)
  })
  return {
    result: Promise.race([found, over.promise]).finally(cancelTimer),
    ended: found.then(() => undefined),
  }
}

const isExpected = (error: unknown): boolean =>
  isKubeError(error) || error instanceof NoAnswer || error instanceof UnusableSecret

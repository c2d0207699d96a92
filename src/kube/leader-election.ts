/**
 * At most one of several processes leads.
 *
 *   candidate -> tries every `retryPeriod` to take the Lease
 *   leading   -> renews every `retryPeriod`; when no renewal has succeeded for `renewDeadline`, or somebody else is seen
 *                holding the Lease, it has lost: the signal given to `onStarted` aborts and the run ends
 *   shutdown  -> the same signal aborts, the Lease is renewed until the work has ended, then released, so that the next
 *                leader starts at once and never beside work that is still ending
 */
import type { Random } from './backoff.ts'
import type { KubeClient } from './client.ts'
import type { Clock } from './clock.ts'
import { isKubeError } from './errors.ts'
import { LeaseLock } from './lease-lock.ts'
import { type Log, silentLog } from './log.ts'

export type StopReason = 'lost' | 'shutdown'

export interface LeaderElectionOptions {
  readonly client: KubeClient
  readonly namespace: string
  /** Name of the Lease. */
  readonly name: string
  /** Unique per process: a restarted one is another candidate. */
  readonly identity: string
  readonly clock: Clock
  readonly random?: Random
  readonly log?: Log
  /**
   * Leading begins. The work must stop when the signal aborts; the promise settles when it has. A rejection ends the
   * run with that error.
   */
  onStarted(leading: AbortSignal): void | Promise<void>
  /** Leading has ended: called once, right after the signal aborted, before the work has ended. */
  onStopped?(reason: StopReason): void
  /** How long others wait after the last renewal they saw. Milliseconds, default 15 000. */
  readonly leaseDurationMs?: number
  /** How long the leader relies on its last renewal. Milliseconds, default 10 000; less than `leaseDurationMs`. */
  readonly renewDeadlineMs?: number
  /** Milliseconds between two attempts, default 2 000. */
  readonly retryPeriodMs?: number
  /** How long the work may take to end. Longer, and the Lease is left to expire. Milliseconds, default 30 000. */
  readonly drainTimeoutMs?: number
}

const DEFAULTS = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000, drainTimeoutMs: 30_000 }

type Resolved = LeaderElectionOptions & Required<Omit<LeaderElectionOptions, 'onStopped'>>

class Election {
  readonly #options: Resolved
  readonly #lock: LeaseLock
  readonly #log: Log

  constructor(options: LeaderElectionOptions) {
    this.#options = { ...DEFAULTS, random: Math.random, log: silentLog, ...options }
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = this.#options
    if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs && retryPeriodMs > 0)) {
      throw new RangeError('leader election needs leaseDurationMs > renewDeadlineMs > retryPeriodMs > 0')
    }
    this.#lock = new LeaseLock(this.#options)
    this.#log = this.#options.log.child({ lease: options.name, identity: options.identity })
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#becomeLeader(signal)
    if (signal.aborted) await this.#release()
    else await this.#lead(signal)
  }

  async #becomeLeader(signal: AbortSignal): Promise<void> {
    let seen = ''
    while (!signal.aborted) {
      if (await this.#attemptWhile(signal)) return
      if (this.#lock.holder() !== seen) this.#log.info({ leader: this.#lock.holder() }, 'another process leads')
      seen = this.#lock.holder()
      await this.#options.clock.after(this.#pause(), signal)
    }
  }

  /** After an abort the answer is waited for a little longer: it may tell that there is a Lease to release. */
  async #attemptWhile(signal: AbortSignal): Promise<boolean | undefined> {
    const answered = new AbortController()
    const attempt = this.#attempt().finally(() => answered.abort())
    const held = await untilAborted(attempt, signal)
    if (signal.aborted) await this.#options.clock.after(this.#options.retryPeriodMs, answered.signal)
    return held
  }

  /** Undefined: it failed, and who holds the Lease is not known. */
  async #attempt(): Promise<boolean | undefined> {
    try {
      return await this.#lock.tryHold()
    } catch (error) {
      // Two candidates at the same moment: one of them gets these, and all is well.
      const isRace = isKubeError(error, 'Conflict', 'AlreadyExists')
      const fields = { err: error, code: isKubeError(error) ? error.code : undefined }
      if (isRace) this.#log.debug(fields, 'lost a race for the Lease')
      else this.#log.warn(fields, 'cannot take or renew the Lease')
      return undefined
    }
  }

  /** Candidates that failed together should not try together again. */
  #pause(): number {
    return this.#options.retryPeriodMs * (1 + this.#options.random() / 5)
  }

  async #lead(signal: AbortSignal): Promise<void> {
    this.#log.info({}, 'leading')
    const term = new Term(this.#options, signal)
    const renewals = this.#renewUntil(term)
    await term.ended
    await Promise.race([term.work, this.#options.clock.after(this.#options.drainTimeoutMs, term.workEnded)])
    term.close()
    await renewals
    if (term.reason === 'shutdown' && term.workEnded.aborted) await this.#release()
    if (term.failure !== undefined) throw term.failure.error
  }

  /** Goes on while the term's work is ending: nobody else may begin before. Never waits for an answer after the term. */
  async #renewUntil(term: Term): Promise<void> {
    const { clock, retryPeriodMs } = this.#options
    while (!term.closed.aborted) {
      const cancelDeadline = clock.setTimer(this.#lock.validForMs(), () => term.end('lost'))
      await clock.after(retryPeriodMs, term.closed)
      const held = term.closed.aborted ? undefined : await untilAborted(this.#attempt(), term.closed)
      cancelDeadline()
      if (held === false || this.#lock.validForMs() === 0) term.end('lost')
      if (term.reason === 'lost') return
    }
  }

  async #release(): Promise<void> {
    try {
      await this.#lock.release()
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot release the Lease: the next leader has to wait until it expires')
    }
  }
}

/** One period of leading: from `onStarted` until its work has ended. */
class Term {
  readonly #leading = new AbortController()
  readonly #closed = new AbortController()
  readonly #workEnded = new AbortController()
  readonly #ended = Promise.withResolvers<void>()
  readonly #options: Resolved
  readonly work: Promise<void>
  reason: StopReason | undefined
  failure: { readonly error: unknown } | undefined

  constructor(options: Resolved, signal: AbortSignal) {
    this.#options = options
    const shutDown = (): void => this.end('shutdown')
    signal.addEventListener('abort', shutDown, { once: true })
    this.#closed.signal.addEventListener('abort', () => signal.removeEventListener('abort', shutDown), { once: true })
    this.work = this.#run()
  }

  /** Resolves when leading has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Aborts when the work has ended. */
  get workEnded(): AbortSignal {
    return this.#workEnded.signal
  }

  /** Aborts when nothing is to be renewed any more. */
  get closed(): AbortSignal {
    return this.#closed.signal
  }

  close(): void {
    this.#closed.abort()
  }

  end(reason: StopReason): void {
    // Losing it while the work is still ending means that others may begin: the Lease is not ours to release.
    if (reason === 'lost') this.reason = 'lost'
    if (this.#leading.signal.aborted) return
    this.reason = reason
    this.#options.log.info({ identity: this.#options.identity, reason }, 'no longer leading')
    this.#leading.abort()
    this.#options.onStopped?.(reason)
    this.#ended.resolve()
  }

  async #run(): Promise<void> {
    try {
      await this.#options.onStarted(this.#leading.signal)
    } catch (error) {
      this.failure = { error }
      this.end('shutdown')
    } finally {
      this.#workEnded.abort()
    }
  }
}

function untilAborted<R>(promise: Promise<R>, signal: AbortSignal): Promise<R | undefined> {
  return new Promise((resolve, reject) => {
    const give = (): void => resolve(undefined)
    signal.addEventListener('abort', give, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', give))
  })
}

/**
 * Runs as a candidate, then as the leader. Resolves when the signal has aborted, or when leading was lost: run it again
 * to be a candidate again, or end the process.
 * @throws what `onStarted` rejects with.
 */
export function runLeaderElection(options: LeaderElectionOptions, signal: AbortSignal): Promise<void> {
  return new Election(options).run(signal)
}

/**
 * Keeps a lease while somebody uses it: a heartbeat several times per idle timeout, and an extension when the end comes near.
 * A heartbeat that fails is sent again; the idle timeout leaves room for two that were lost.
 */
import type { KobeApi } from './api.ts'
import { KobeError } from './errors.ts'

export interface KeepAliveOptions {
  readonly id: string
  /** Milliseconds without a heartbeat after which the server ends the lease; absent: no heartbeats. */
  readonly idleTimeoutMs?: number | undefined
  /** When the lease ends unless it is extended (RFC 3339). */
  readonly expiresAt: string | undefined
  /** By how much the lease is extended when its end comes near, such as `30m`; absent: it is not. */
  readonly extendBy?: string | undefined
  /** Length of `extendBy`, milliseconds. */
  readonly extendByMs?: number | undefined
  /** The lease is over: nothing is sent any more. */
  readonly onEnded?: ((error: KobeError) => void) | undefined
  /** Something failed that is tried again, or an extension was refused. */
  readonly onTrouble?: ((error: KobeError) => void) | undefined
  readonly onExtended?: ((expiresAt: string) => void) | undefined
}

export interface KeepAlive {
  /** When the lease ends, as far as is known (RFC 3339). */
  readonly expiresAt: string | undefined
  /** Sends nothing more; resolves when what was under way is over. */
  stop(): Promise<void>
}

const BEATS_PER_TIMEOUT = 4
const SHORTEST_PAUSE_MS = 500
const RETRY_MS = 1_000
/** Timers of Node overflow above this: 24 days. */
const LONGEST_PAUSE_MS = 2_000_000_000
/** Time for an extension that the server cannot take at once. */
const SHORTEST_MARGIN_MS = 5_000
/** Answers that mean: this lease is no more. */
const OVER = new Set(['lease_not_found', 'lease_ended', 'lease_not_bound'])

export function keepAlive(api: KobeApi, options: KeepAliveOptions): KeepAlive {
  const keeper = new Keeper(api, options)
  keeper.schedule(keeper.pauseMs())
  return keeper
}

class Keeper implements KeepAlive {
  expiresAt: string | undefined
  private readonly api: KobeApi
  private readonly options: KeepAliveOptions
  private readonly beatMs: number | undefined
  private readonly abort = new AbortController()
  private extending: boolean
  private inTrouble = false
  private timer: NodeJS.Timeout | undefined
  private working: Promise<void> = Promise.resolve()

  constructor(api: KobeApi, options: KeepAliveOptions) {
    this.api = api
    this.options = options
    this.expiresAt = options.expiresAt
    this.extending = options.extendBy !== undefined
    const { idleTimeoutMs } = options
    this.beatMs = idleTimeoutMs === undefined ? undefined : idleTimeoutMs / BEATS_PER_TIMEOUT
  }

  schedule(ms: number): void {
    if (this.abort.signal.aborted) return
    this.timer = setTimeout(() => {
      this.working = this.pass().then(
        () => this.succeed(),
        (error: unknown) => this.fail(error),
      )
    }, ms)
    // A program that has nothing else to do may end: the lease ends with its heartbeats.
    this.timer.unref()
  }

  /** Until the next heartbeat or extension, whichever comes first. */
  pauseMs(): number {
    const next = Math.min(this.beatMs ?? LONGEST_PAUSE_MS, this.untilExtensionMs() ?? LONGEST_PAUSE_MS)
    return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, next))
  }

  async stop(): Promise<void> {
    this.abort.abort()
    clearTimeout(this.timer)
    await this.working
  }

  private untilExtensionMs(): number | undefined {
    if (!this.extending || this.expiresAt === undefined) return undefined
    const marginMs = Math.max(SHORTEST_MARGIN_MS, (this.options.extendByMs ?? 0) / 5)
    return Date.parse(this.expiresAt) - marginMs - Date.now()
  }

  private async pass(): Promise<void> {
    const due = this.untilExtensionMs()
    if (due !== undefined && due <= 0) await this.extend()
    if (this.beatMs !== undefined) await this.beat(this.beatMs)
  }

  private async beat(beatMs: number): Promise<void> {
    const { signal } = this.abort
    const params = { id: this.options.id }
    const beat = await this.api.call('heartbeatLease', { params }, { signal, timeoutMs: beatMs + 5_000 })
    this.expiresAt = beat.expires_at ?? this.expiresAt
  }

  private async extend(): Promise<void> {
    const { id, extendBy = '', onExtended, onTrouble } = this.options
    try {
      const input = { params: { id }, body: { extend_ttl: extendBy } }
      this.expiresAt = (await this.api.call('extendLease', input, { signal: this.abort.signal })).expires_at
      onExtended?.(this.expiresAt)
    } catch (error) {
      // The policy allows no more, and asking again changes nothing. The lease lives on until its end.
      if (!(error instanceof KobeError) || error.status !== 400 || OVER.has(error.reason ?? '')) throw error
      this.extending = false
      onTrouble?.(error)
    }
  }

  private succeed(): void {
    this.inTrouble = false
    this.schedule(this.pauseMs())
  }

  private fail(error: unknown): void {
    if (this.abort.signal.aborted) return
    const known = error instanceof KobeError ? error : new KobeError('unreachable', String(error), { cause: error })
    if (OVER.has(known.reason ?? '')) {
      this.abort.abort()
      this.options.onEnded?.(known)
      return
    }
    // A row of failures is one trouble.
    if (!this.inTrouble) this.options.onTrouble?.(known)
    this.inTrouble = true
    this.schedule(Math.min(RETRY_MS, this.beatMs ?? RETRY_MS))
  }
}

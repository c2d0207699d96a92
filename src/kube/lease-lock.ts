/**
 * One candidate's view of a `coordination.k8s.io/v1` Lease.
 *
 * Clocks of different machines are never compared. A candidate measures on its own clock how long the record has stood
 * unchanged since it saw it; the holder counts from the moment BEFORE it sent the write that succeeded. What the holder
 * believes therefore always ends before anybody else may begin. Each write is fenced by the resourceVersion.
 */
import { type CoordinationLease, LEASES } from '../api/core-resources.ts'
import type { KubeClient } from './client.ts'
import type { Clock } from './clock.ts'
import { isKubeError } from './errors.ts'

export interface LeaseLockOptions {
  readonly client: KubeClient
  readonly namespace: string
  readonly name: string
  /** Unique per process. */
  readonly identity: string
  readonly clock: Clock
  /** How long others wait after the last renewal they saw. */
  readonly leaseDurationMs: number
  /** How long the holder relies on its last renewal. Shorter than `leaseDurationMs`. */
  readonly renewDeadlineMs: number
}

/** A moment on both clocks: the one that ran further decides, since a suspended machine stops one of them. */
interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/** RFC 3339 with microseconds, as the API wants it. */
function microTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -1)}000Z`
}

export class LeaseLock {
  readonly #options: LeaseLockOptions
  /** The last record that was read or written. */
  #record: CoordinationLease | undefined
  /** Monotonic time at which the record was first seen as it is. */
  #seenAt = 0
  /** False after any failure: what the server holds is unknown then. */
  #isCurrent = false
  #renewedAt: Moment | undefined

  constructor(options: LeaseLockOptions) {
    this.#options = options
  }

  /** For how long this candidate may act as the holder without another renewal; 0 when it may not. */
  validForMs(): number {
    if (this.#renewedAt === undefined) return 0
    const { clock, renewDeadlineMs } = this.#options
    const past = Math.max(clock.now() - this.#renewedAt.wall, clock.monotonic() - this.#renewedAt.monotonic)
    return Math.max(0, renewDeadlineMs - past)
  }

  /** Who holds it, as far as seen. Empty: nobody. */
  holder(): string {
    return this.#record?.spec?.holderIdentity ?? ''
  }

  /**
   * Takes the lease, or renews it. False: somebody else holds it.
   * @throws KubeError when that is not known; the lease may be ours all the same.
   */
  async tryHold(): Promise<boolean> {
    const { clock } = this.#options
    try {
      const isOurs = this.#isCurrent && this.holder() === this.#options.identity
      if (!isOurs) await this.#read()
      if (this.#isHeldByOther()) {
        this.#renewedAt = undefined
        return false
      }
      const before = { wall: clock.now(), monotonic: clock.monotonic() }
      await this.#write(this.#options.identity)
      this.#renewedAt = before
      return this.validForMs() > 0
    } catch (error) {
      this.#isCurrent = false
      throw error
    }
  }

  /** Lets the next candidate begin at once. Only when this one has stopped acting. @throws KubeError */
  async release(): Promise<void> {
    this.#renewedAt = undefined
    if (this.holder() !== this.#options.identity) return
    await this.#write('')
  }

  async #read(): Promise<void> {
    const { client, namespace, name, clock } = this.#options
    try {
      const lease = await client.get(LEASES, { namespace, name })
      if (lease.metadata.resourceVersion !== this.#record?.metadata.resourceVersion) this.#seenAt = clock.monotonic()
      this.#record = lease
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error
      // Somebody deleted it. Its holder does not know yet, so its time runs on.
      if (this.#isHeldByOther()) return
      this.#record = undefined
    }
    this.#isCurrent = true
  }

  #isHeldByOther(): boolean {
    const holder = this.holder()
    if (holder === '' || holder === this.#options.identity) return false
    const promised = (this.#record?.spec?.leaseDurationSeconds ?? 0) * 1000
    const duration = Math.max(promised, this.#options.leaseDurationMs)
    return this.#options.clock.monotonic() - this.#seenAt < duration
  }

  async #write(holder: string): Promise<void> {
    const { client, namespace, name, clock } = this.#options
    const next: CoordinationLease = {
      metadata: this.#record?.metadata ?? { namespace, name },
      spec: this.#specFor(holder),
    }
    this.#record = await (this.#record === undefined ? client.create(LEASES, next) : client.replace(LEASES, next))
    this.#seenAt = clock.monotonic()
    this.#isCurrent = true
  }

  #specFor(holder: string): NonNullable<CoordinationLease['spec']> {
    const now = microTime(this.#options.clock.now())
    const before = this.#record?.spec
    const isSame = before?.holderIdentity === holder
    const transitions = before?.leaseTransitions ?? 0
    return {
      holderIdentity: holder,
      // A released lease ends at once for candidates that look at its duration only.
      leaseDurationSeconds: holder === '' ? 1 : Math.ceil(this.#options.leaseDurationMs / 1000),
      acquireTime: isSame ? (before?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: this.#record === undefined || isSame || holder === '' ? transitions : transitions + 1,
    }
  }
}

/**
 * Time that a test can skip; timers that become due by that fire at once.
 * Flowing: real time, and what was skipped. Stepped: time stands still between skips, however slow the machine is; only
 * waits of less than a second (those of a writer that lost a race) end by themselves.
 */
import { afterTimer, type Clock, systemClock } from '../../src/kube/clock.ts'

const SHORT_MS = 1_000

interface Timer {
  readonly due: number
  readonly fn: () => void
  cancelReal: () => void
}

export class SkippingClock implements Clock {
  #skipped = 0
  readonly #stepped: boolean
  readonly #startedAt = systemClock.now()
  readonly #timers = new Set<Timer>()

  constructor({ stepped = false }: { readonly stepped?: boolean } = {}) {
    this.#stepped = stepped
  }

  now(): number {
    return (this.#stepped ? this.#startedAt : systemClock.now()) + this.#skipped
  }

  monotonic(): number {
    return (this.#stepped ? 0 : systemClock.monotonic()) + this.#skipped
  }

  after(ms: number, signal?: AbortSignal): Promise<void> {
    return afterTimer((delay, fn) => this.setTimer(delay, fn), ms, signal)
  }

  setTimer(ms: number, fn: () => void): () => void {
    const timer: Timer = { due: this.monotonic() + Math.max(0, ms), fn, cancelReal: () => undefined }
    this.#timers.add(timer)
    this.#arm(timer)
    return () => this.#drop(timer)
  }

  /** Moves time on; what became due fires in order, before this returns. */
  skip(ms: number): void {
    this.#skipped += ms
    const due = [...this.#timers].filter((timer) => timer.due <= this.monotonic()).sort((a, b) => a.due - b.due)
    for (const timer of due) this.#fire(timer)
    for (const timer of this.#timers) this.#arm(timer)
  }

  #arm(timer: Timer): void {
    timer.cancelReal()
    if (this.#stepped && timer.due - this.monotonic() >= SHORT_MS) return
    timer.cancelReal = systemClock.setTimer(timer.due - this.monotonic(), () => this.#fire(timer))
  }

  #drop(timer: Timer): void {
    timer.cancelReal()
    this.#timers.delete(timer)
  }

  #fire(timer: Timer): void {
    if (!this.#timers.has(timer)) return
    this.#drop(timer)
    timer.fn()
  }
}

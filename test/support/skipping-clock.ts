/** Real time that a test can skip: timers fire by themselves, and at once when time is skipped past them. */
import { afterTimer, type Clock, systemClock } from '../../src/kube/clock.ts'

interface Timer {
  readonly due: number
  readonly fn: () => void
  cancelReal: () => void
}

export class SkippingClock implements Clock {
  #skipped = 0
  readonly #timers = new Set<Timer>()

  now(): number {
    return systemClock.now() + this.#skipped
  }

  monotonic(): number {
    return systemClock.monotonic() + this.#skipped
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

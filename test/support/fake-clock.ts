/** A clock that stands still until a test moves it. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterTimer, type Clock } from '../../src/kube/clock.ts'

interface Timer {
  readonly due: number
  readonly order: number
  readonly fn: () => void
}

/** Turns of the event loop that are given to what a timer has set going: promises, in-memory clients. */
const TURNS = 4

export class FakeClock implements Clock {
  #wall: number
  #elapsed = 0
  #order = 0
  readonly #timers = new Set<Timer>()

  /** @param start epoch milliseconds; default 2026-01-01T00:00:00Z. */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#wall = start
  }

  now(): number {
    return this.#wall
  }

  monotonic(): number {
    return this.#elapsed
  }

  after(ms: number, signal?: AbortSignal): Promise<void> {
    return afterTimer((delay, fn) => this.setTimer(delay, fn), ms, signal)
  }

  setTimer(ms: number, fn: () => void): () => void {
    const timer = { due: this.#elapsed + Math.max(0, ms), order: this.#order++, fn }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size
  }

  /** Milliseconds until the next timer, `undefined` when there is none. */
  get nextTimerMs(): number | undefined {
    const next = this.#next()
    return next === undefined ? undefined : next.due - this.#elapsed
  }

  /** Moves time on, firing what becomes due in order, and lets what that sets going run. */
  async advance(ms: number): Promise<void> {
    const target = this.#elapsed + ms
    await this.settle()
    for (let timer = this.#next(); timer !== undefined && timer.due <= target; timer = this.#next()) {
      this.#moveTo(timer.due)
      this.#timers.delete(timer)
      timer.fn()
      await this.settle()
    }
    this.#moveTo(target)
  }

  /** Steps the wall clock alone, as a time server or an administrator does. */
  stepWall(ms: number): void {
    this.#wall += ms
  }

  /** Lets promises and already arrived I/O run, without moving time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await nextTurn()
  }

  #next(): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers) {
      if (first === undefined || timer.due < first.due || (timer.due === first.due && timer.order < first.order)) {
        first = timer
      }
    }
    return first
  }

  #moveTo(elapsed: number): void {
    const step = Math.max(0, elapsed - this.#elapsed)
    this.#elapsed += step
    this.#wall += step
  }
}

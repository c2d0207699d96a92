/** Keys to work on, each once, a few per turn of the event loop so that requests are not held up. */

const BATCH = 64

export class TaskQueue {
  readonly #work: (key: string) => void
  readonly #onError: (error: unknown, key: string) => void
  #keys = new Set<string>()
  #scheduled: NodeJS.Immediate | undefined
  #stopped = false

  constructor(work: (key: string) => void, onError: (error: unknown, key: string) => void) {
    this.#work = work
    this.#onError = onError
  }

  add(key: string): void {
    if (this.#stopped) return
    this.#keys.add(key)
    this.#scheduled ??= setImmediate(() => this.#run())
  }

  stop(): void {
    this.#stopped = true
    this.#keys.clear()
    clearImmediate(this.#scheduled)
  }

  #run(): void {
    this.#scheduled = undefined
    let left = BATCH
    for (const key of this.#keys) {
      if (left === 0) break
      left -= 1
      this.#keys.delete(key)
      try {
        this.#work(key)
      } catch (error) {
        this.#onError(error, key)
      }
    }
    if (this.#keys.size > 0 && !this.#stopped) this.#scheduled ??= setImmediate(() => this.#run())
  }
}

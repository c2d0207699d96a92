/** All open watches of one control plane: they share a clock for bookmarks and end together. */

export interface OpenWatch {
  /** `plural.group` */
  readonly storage: string
  /** Tells the client how far it has seen; does nothing when it did not ask for that. */
  bookmark(): void
  end(): void
}

/** As often as the real server `[k8s watch cache]`. */
const BOOKMARK_INTERVAL_MS = 60_000

export class WatchHub {
  readonly #open = new Set<OpenWatch>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  get size(): number {
    return this.#open.size
  }

  add(watch: OpenWatch): void {
    if (this.#closed) {
      watch.end()
      return
    }
    this.#open.add(watch)
    this.#timer ??= setInterval(() => this.#bookmarkAll(), BOOKMARK_INTERVAL_MS).unref()
  }

  remove(watch: OpenWatch): void {
    this.#open.delete(watch)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Ends the watches of a resource that is no longer served. */
  endAll(storage?: string): void {
    for (const watch of [...this.#open]) {
      if (storage === undefined || watch.storage === storage) watch.end()
    }
  }

  close(): void {
    this.#closed = true
    this.endAll()
    clearInterval(this.#timer)
  }

  #bookmarkAll(): void {
    for (const watch of this.#open) watch.bookmark()
  }
}

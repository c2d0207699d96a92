/** Events go an hour after they were last written. One timer waits for the oldest. */
import type { Core } from '../registry/core.ts'
import type { Entry } from '../store/entry.ts'

const LIFETIME_MS = 3_600_000
const EVENTS = 'events'

interface Expiring {
  readonly key: string
  readonly revision: number
  readonly at: number
}

export class EventExpiry {
  readonly #core: Core
  /** In the order of expiry, since all live equally long. */
  #pending: Expiring[] = []
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(core: Core) {
    this.#core = core
  }

  start(): void {
    const { store, now } = this.#core
    for (const entry of store.collection(EVENTS).entries()) this.#add(entry, lastWritten(entry, now()))
    this.#pending.sort((a, b) => a.at - b.at)
    store.onEvent(({ type, resource, entry }) => {
      if (resource === EVENTS && type !== 'DELETED') this.#add(entry, now())
    })
    this.#schedule()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #add(entry: Entry, writtenAt: number): void {
    this.#pending.push({ key: entry.key, revision: entry.revision, at: writtenAt + LIFETIME_MS })
    this.#schedule()
  }

  #schedule(): void {
    const next = this.#pending[0]
    if (next === undefined || this.#timer !== undefined || this.#stopped) return
    const delay = Math.max(0, next.at - this.#core.now())
    this.#timer = setTimeout(() => this.#expire(), delay).unref()
  }

  #expire(): void {
    this.#timer = undefined
    const now = this.#core.now()
    const due = this.#pending.findIndex(({ at }) => at > now)
    const expired = this.#pending.splice(0, due < 0 ? this.#pending.length : due)
    for (const { key, revision } of expired) this.#remove(key, revision)
    this.#schedule()
  }

  /** Written again since: a later place in the queue stands for it. */
  #remove(key: string, revision: number): void {
    const entry = this.#core.store.get(EVENTS, key)
    if (entry?.revision !== revision) return
    try {
      this.#core.store.remove(EVENTS, entry)
    } catch (error) {
      this.#core.onError(error, `expiry of event ${key}`)
    }
  }
}

/** After a restart the times in the event itself are all there is. */
function lastWritten(entry: Entry, now: number): number {
  const { metadata, lastTimestamp } = entry.object
  const text = typeof lastTimestamp === 'string' ? lastTimestamp : metadata.creationTimestamp
  const time = Date.parse(text)
  return Number.isNaN(time) ? now : Math.min(time, now)
}

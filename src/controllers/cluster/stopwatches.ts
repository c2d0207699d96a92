/** How long things stay what they are: nodes in a step, a cluster in a batch. */
import type { Clock } from '../../kube/clock.ts'

export interface Present<T> {
  readonly name: string
  readonly is: T
  /** When it became that, as an object says, epoch milliseconds; absent: now. */
  readonly since: number | undefined
}

export interface Over<T> {
  readonly is: T
  /** What it became; absent: it is not there any more. */
  readonly next?: T
  readonly seconds: number
}

export interface Stopwatches<T> {
  /** All that there is of an owner now. Answers what is over since the last time. */
  show(owner: string, present: readonly Present<T>[]): readonly Over<T>[]
  clear(): void
}

/** Moments in objects are whole seconds: what lies less than this back may just have become what it is. */
const MOMENT_MS = 2_000

export function createStopwatches<T>(clock: Pick<Clock, 'now' | 'monotonic'>): Stopwatches<T> {
  const owners = new Map<string, ReadonlyMap<string, { readonly is: T; readonly since: number }>>()
  /** On the monotonic clock. It began under another operator, perhaps. */
  const begun = (since: number | undefined, now: number): number => {
    const ago = since === undefined ? 0 : clock.now() - since
    return ago < MOMENT_MS ? now : now - ago
  }
  return {
    show(owner, present) {
      const now = clock.monotonic()
      const before = owners.get(owner) ?? new Map()
      const kept = new Map(
        present.map(({ name, is, since }) => {
          const known = before.get(name)
          if (known?.is === is) return [name, known]
          return [name, { is, since: known === undefined ? begun(since, now) : now }]
        }),
      )
      if (kept.size === 0) owners.delete(owner)
      else owners.set(owner, kept)
      return [...before].flatMap(([name, { is, since }]) => {
        const next = kept.get(name)?.is
        return next === is ? [] : [{ is, seconds: (now - since) / 1000, ...(next === undefined ? {} : { next }) }]
      })
    },
    clear: () => owners.clear(),
  }
}

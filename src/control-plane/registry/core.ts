/** What the parts of one control plane work on: those that write objects, and all. */
import type { Store } from '../store/store.ts'
import type { Registry } from './registry.ts'
import type { WatchHub } from './watch-hub.ts'

export interface WriteCore {
  readonly store: Store
  readonly registry: Registry
  /** Epoch milliseconds. */
  readonly now: () => number
}

export interface Core extends WriteCore {
  readonly watches: WatchHub
  /** For failures that no request can report. */
  readonly onError: (error: unknown, context: string) => void
}

/** RFC 3339 in UTC with whole seconds: how the API writes times. */
export function formatTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`
}

/** How often a status is shown while nothing but its counts and steps changes: each write goes to everybody who watches. */
import type { Clock } from '../../kube/clock.ts'

export interface ShowPace {
  /** Milliseconds until the status may be shown again, 0 or less when it may be now. */
  waitMs(key: string): number
  shown(key: string): void
  forget(key: string): void
}

export function createShowPace(clock: Pick<Clock, 'monotonic'>, paceMs: number): ShowPace {
  /** When the status was last written, by key. Milliseconds of the monotonic clock. */
  const shownAt = new Map<string, number>()
  return {
    waitMs: (key) => paceMs - (clock.monotonic() - (shownAt.get(key) ?? Number.NEGATIVE_INFINITY)),
    shown: (key) => {
      shownAt.set(key, clock.monotonic())
    },
    forget: (key) => {
      shownAt.delete(key)
    },
  }
}

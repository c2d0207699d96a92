/**
 * When the next event is written. Those who record events have work to do: a report waits until nothing was recorded for a
 * moment, but not for long, and then they go one by one.
 */
import type { Clock } from './clock.ts'
import { createTokenBucket } from './token-bucket.ts'

/** So long nothing was recorded: whatever happened is over. */
const CALM_MS = 100
/** A busy operator reports all the same. */
const LONGEST_HOLD_MS = 3_000
/** The rate of kubelet [k8s], with a smaller burst: a hundred reports in a row are felt by whoever waits for a lease. */
const PACE = { perSecond: 50, burst: 25 }

export interface EventPace {
  recorded(): void
  /** Resolves when it is calm, or was not for too long. */
  calm(): Promise<void>
  /** Resolves when one more may go. */
  turn(): Promise<void>
  /** Ends every wait, now and until the answer is called. */
  hurry(): () => void
}

export function createEventPace(clock: Clock): EventPace {
  const pauseMs = createTokenBucket(PACE.perSecond, PACE.burst, () => clock.monotonic())
  let recordedAt = 0
  let hurrying = 0
  let current: AbortController | undefined
  const wait = async (ms: number): Promise<void> => {
    current = new AbortController()
    await clock.after(ms, current.signal)
  }
  return {
    recorded() {
      recordedAt = clock.monotonic()
    },
    async calm() {
      const latest = clock.monotonic() + LONGEST_HOLD_MS
      while (hurrying === 0) {
        const left = Math.min(recordedAt + CALM_MS, latest) - clock.monotonic()
        if (left <= 0) return
        await wait(left)
      }
    },
    async turn() {
      const ms = pauseMs()
      if (ms > 0 && hurrying === 0) await wait(ms)
    },
    hurry() {
      hurrying += 1
      current?.abort()
      return () => {
        hurrying -= 1
      }
    },
  }
}

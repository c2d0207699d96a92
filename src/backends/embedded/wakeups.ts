/** One pending "look again" for each name; a later one takes the place of the earlier. */
import type { Clock } from '../../kube/clock.ts'

export interface Wakeups {
  after(name: string, ms: number): void
  cancel(name: string): void
  close(): void
}

export function createWakeups(clock: Clock, wake: (name: string) => void): Wakeups {
  const pending = new Map<string, () => void>()
  const cancel = (name: string) => {
    pending.get(name)?.()
    pending.delete(name)
  }
  return {
    cancel,
    after(name, ms) {
      cancel(name)
      const fire = () => {
        pending.delete(name)
        wake(name)
      }
      pending.set(name, clock.setTimer(Math.max(0, ms), fire))
    },
    close() {
      for (const stop of pending.values()) stop()
      pending.clear()
    },
  }
}

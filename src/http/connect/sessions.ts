/**
 * What is open through the proxy, by lease. A session is cut when its lease stops being usable: on the cache event that says
 * so, or at its expiry, whichever is first. Nothing is polled.
 */
import type { Clock } from '../../kube/clock.ts'

export interface ConnectSession {
  /** Ends both sides at once. */
  cut(): void
}

export interface SessionWatch {
  /** Epoch milliseconds until which the lease may be used now; `undefined`: not (or no longer). */
  usableUntil(leaseName: string): number | undefined
  /** Called once when the last say over a lease is "no": its cluster's connections can go. */
  onEnded(leaseName: string): void
}

export interface ConnectSessions {
  open(leaseName: string, session: ConnectSession): () => void
  /** Looks again at one lease: called on every cache event about it. */
  review(leaseName: string): void
  /** Cuts everything. */
  closeAll(): void
  readonly size: number
}

interface Entry {
  readonly sessions: Set<ConnectSession>
  cancelTimer: () => void
}

export function createConnectSessions(clock: Clock, watch: SessionWatch): ConnectSessions {
  const entries = new Map<string, Entry>()

  const cut = (leaseName: string, entry: Entry): void => {
    entry.cancelTimer()
    entries.delete(leaseName)
    for (const session of [...entry.sessions]) session.cut()
  }

  const review = (leaseName: string): void => {
    const entry = entries.get(leaseName)
    const until = watch.usableUntil(leaseName)
    if (until === undefined) {
      if (entry !== undefined) cut(leaseName, entry)
      watch.onEnded(leaseName)
      return
    }
    if (entry === undefined) return
    entry.cancelTimer()
    entry.cancelTimer = clock.setTimer(Math.max(0, until - clock.now()) + 1, () => review(leaseName))
  }

  return {
    open(leaseName, session) {
      let entry = entries.get(leaseName)
      if (entry === undefined) {
        entry = { sessions: new Set(), cancelTimer: () => undefined }
        entries.set(leaseName, entry)
        entry.sessions.add(session)
        review(leaseName)
      } else {
        entry.sessions.add(session)
      }
      const opened = entry
      return () => {
        opened.sessions.delete(session)
        if (opened.sessions.size > 0 || entries.get(leaseName) !== opened) return
        opened.cancelTimer()
        entries.delete(leaseName)
      }
    },
    review,
    closeAll() {
      for (const [leaseName, entry] of [...entries]) cut(leaseName, entry)
    },
    get size() {
      return [...entries.values()].reduce((sum, entry) => sum + entry.sessions.size, 0)
    },
  }
}

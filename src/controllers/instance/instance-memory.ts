/** What the controller remembers of instances, by UID: answers of the backend. Gathered anew after a restart. */
import type { Evidence } from '../../core/instance/observed.ts'
import type { Clock } from '../../kube/clock.ts'

export interface InstanceMemory {
  evidence: Evidence
  /** How often the backend said that the member may have changed. */
  changes: number
  /** Our finalizer is off: the object is on its way out of the cache. */
  released: boolean
  /** UID of a lease that was read and found gone: it never comes back. */
  goneLease: string | undefined
  /** Epoch milliseconds. */
  readonly watchingSince: number
}

export interface InstanceMemories {
  of(uid: string): InstanceMemory
  /** The member may have changed: what the backend said of it before is worth nothing. */
  memberChanged(uid: string): void
  /** Its Secret was deleted: what this process published is gone. */
  kubeconfigLost(uid: string): void
  forget(uid: string): void
}

export function createInstanceMemories(clock: Clock): InstanceMemories {
  const known = new Map<string, InstanceMemory>()
  return {
    of(uid) {
      const memory = known.get(uid) ?? {
        evidence: {},
        changes: 0,
        released: false,
        goneLease: undefined,
        watchingSince: clock.now(),
      }
      known.set(uid, memory)
      return memory
    },
    memberChanged(uid) {
      const memory = known.get(uid)
      if (memory === undefined) return
      const { member: _member, destroy: _destroy, ...evidence } = memory.evidence
      memory.evidence = evidence
      memory.changes += 1
    },
    kubeconfigLost(uid) {
      const memory = known.get(uid)
      if (memory === undefined) return
      const { kubeconfigPublished: _published, ...evidence } = memory.evidence
      memory.evidence = evidence
    },
    forget: (uid) => {
      known.delete(uid)
    },
  }
}

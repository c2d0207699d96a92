/** The clusters of the simulated world: they boot and go in a given time, or fail, and outlive the operator. */

import type { DestroyEvidence, MemberEvidence, ProbeEvidence } from '../instance/observed.ts'
import { earliest } from '../requeue.ts'

export interface ClusterBehaviour {
  readonly bootMs: number
  readonly destroyMs: number
  /** Cluster versions that never come up, and how. */
  readonly bad: ReadonlyMap<string, 'Failed' | 'Hangs' | 'Unschedulable'>
}

interface Cluster {
  readonly version: string
  readonly startedAt: number
  goneAt?: number
  sick?: boolean
}

export interface Clusters {
  readonly ensure: (uid: string, version: string, now: number) => MemberEvidence
  readonly destroy: (uid: string, now: number) => DestroyEvidence
  readonly probe: (uid: string, now: number) => Pick<ProbeEvidence, 'healthy'> & { readonly message?: string }
  readonly makeSick: (uid: string) => void
  readonly exists: (uid: string) => boolean
  /** Next moment at which a cluster changes by itself. */
  readonly nextChange: (now: number) => number | undefined
}

export function createClusters(behaviour: () => ClusterBehaviour): Clusters {
  const clusters = new Map<string, Cluster>()
  const bootedAt = (cluster: Cluster): number => cluster.startedAt + behaviour().bootMs

  const stateOf = (cluster: Cluster, now: number): Omit<MemberEvidence, 'at'> => {
    const fault = behaviour().bad.get(cluster.version)
    if (fault === 'Failed') return { state: 'Failed', message: `version ${cluster.version} does not start` }
    if (fault === 'Unschedulable') return { state: 'Unschedulable', message: 'no host has room' }
    const running = fault === undefined && now >= bootedAt(cluster)
    return running ? { state: 'Running', message: 'running' } : { state: 'Provisioning', message: 'booting' }
  }

  return {
    ensure(uid, version, now) {
      const cluster = clusters.get(uid) ?? { version, startedAt: now }
      clusters.set(uid, cluster)
      return { ...stateOf(cluster, now), at: now }
    },
    destroy(uid, now) {
      const cluster = clusters.get(uid)
      if (cluster === undefined) return { gone: true, remaining: [], at: now }
      cluster.goneAt ??= now + behaviour().destroyMs
      if (now < cluster.goneAt) return { gone: false, remaining: ['process'], at: now }
      clusters.delete(uid)
      return { gone: true, remaining: [], at: now }
    },
    probe(uid, now) {
      const cluster = clusters.get(uid)
      if (cluster === undefined || cluster.sick === true) return { healthy: false, message: 'connection refused' }
      return { healthy: stateOf(cluster, now).state === 'Running' }
    },
    makeSick(uid) {
      const cluster = clusters.get(uid)
      if (cluster !== undefined) cluster.sick = true
    },
    exists: (uid) => clusters.has(uid),
    nextChange(now) {
      const moments = [...clusters.values()].map((cluster) => cluster.goneAt ?? bootedAt(cluster))
      return earliest(...moments.filter((moment) => moment > now))
    },
  }
}

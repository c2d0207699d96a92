/** The clusters behind the members: they boot, fail and go in steps of their own, and outlive the operator. */
import type { ClusterInstance } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { MemberEvidence } from '../../../src/core/instance/observed.ts'
import { type Cluster, type ClusterState, setCluster, type World, withEvidence } from './world.ts'

const STATES: Readonly<Record<ClusterState, MemberEvidence['state']>> = {
  booting: 'Provisioning',
  hanging: 'Provisioning',
  dying: 'Provisioning',
  full: 'Unschedulable',
  failed: 'Failed',
  running: 'Running',
  sick: 'Running',
}

/** What becomes of a new cluster of that version. */
function firstState(version: string): ClusterState {
  if (version === 'bad') return 'failed'
  if (version === 'hang') return 'hanging'
  return version === 'full' ? 'full' : 'booting'
}

export function ensureCluster(world: World, { metadata, status }: ClusterInstance): World {
  const { uid = '' } = metadata
  const version = status?.createdWith?.cluster?.version ?? ''
  const cluster: Cluster = world.clusters.get(uid) ?? { version, state: firstState(version) }
  const member: MemberEvidence = { state: STATES[cluster.state], message: cluster.state, at: world.now }
  return withEvidence(setCluster(world, uid, cluster), uid, (before) => ({ ...before, member }))
}

export function probeCluster(world: World, uid: string): { healthy: boolean; message?: string } {
  const healthy = world.clusters.get(uid)?.state === 'running'
  return healthy ? { healthy } : { healthy, message: 'connection refused' }
}

export function destroyClusters(world: World, { metadata, status }: ClusterInstance): World {
  const { uid = '' } = metadata
  const cluster = world.clusters.get(uid)
  const at = world.now
  // Never stamped: the backend was never asked for anything.
  const gone = cluster === undefined || status?.createdWith === undefined
  if (gone) return withEvidence(world, uid, (before) => ({ ...before, destroy: { gone: true, remaining: [], at } }))
  const dying = setCluster(world, uid, { ...cluster, state: 'dying' })
  return withEvidence(dying, uid, (before) => ({ ...before, destroy: { gone: false, remaining: ['process'], at } }))
}

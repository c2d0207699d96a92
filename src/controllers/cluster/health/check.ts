/** What a health check is: something that looks at a cluster and says what is wrong with it. */
import type { ManagedCluster, NodeHealthCheck } from '../../../api/v1alpha1/managed-cluster.ts'
import type { ClusterFacts, Member } from '../../../core/nodes/model.ts'
import type { ObjectRef } from '../../../kube/client.ts'
import type { Clock } from '../../../kube/clock.ts'
import type { ClusterSession } from '../sessions.ts'

/** What a check may see. */
export interface Sight {
  readonly cluster: ManagedCluster
  readonly facts: Omit<ClusterFacts, 'health'>
  /** Absent: the API of the cluster cannot be reached, or what is known of it is old. */
  readonly session: ClusterSession | undefined
}

/** What is wrong, in a sentence; undefined when nothing is. */
export type Wrong = string | undefined

/** Judges what has been gathered already. */
export type Look = (check: NodeHealthCheck, sight: Sight) => Wrong

export interface Attempt {
  readonly clock: Clock
  /** Aborts when the time of the check is over, and when the operator stops. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** A value of a Secret of the host. @throws KubeError, UnusableSecret */
  secret(ref: ObjectRef, key: string): Promise<string>
  /** What was wrong with the workloads when the run began, by workload; recorded now when nothing is. @throws KubeError */
  recordedBefore(sight: Sight, now: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>
  warn(fields: object, message: string): void
}

/** Asks somebody. What it throws is unhealthy too. */
export type Try = (check: NodeHealthCheck, sight: Sight, attempt: Attempt) => Promise<Wrong>

export class UnusableSecret extends Error {
  override readonly name = 'UnusableSecret'
}

/** So many names stand in a message. */
const NAMED = 3

/** Undefined for nothing. */
export function listed(names: readonly string[], what: string): Wrong {
  if (names.length === 0) return undefined
  return `${names.length} ${what}: ${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ' and more' : ''}`
}

/** A run takes down the nodes of its batch, and brings back what an earlier one left behind: neither is a fault. */
export function isWorkOfRun({ cluster }: Sight, { name, machine, node }: Member): boolean {
  const holder = cluster.status?.operation
  if (holder === undefined) return false
  const isInBatch = holder.batch?.nodes.some((entry) => entry.name === name) ?? false
  return isInBatch || machine?.state === 'Stopped' || node?.mark !== undefined
}

/**
 * The drains that are under way in this process, by operation and node. Only what was answered is remembered; an operator that
 * takes over begins with an empty memory, and the deadline, which comes from the claim, stays the same.
 */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import type { DrainMemory } from '../../core/drain/model.ts'
import type { Member } from '../../core/nodes/model.ts'
import { BY_NODE, type ClusterSession } from '../cluster/sessions.ts'
import { type DrainTask, type DrainView, EMPTY_MEMORY, namesOf } from './drain/drain-pass.ts'
import { drainPolicyOf } from './drain/policy.ts'

export interface HeldDrain {
  readonly startedAt: number
  /** Of the batch. */
  readonly deadline: number
  memory: DrainMemory
  /** Volumes are not watched: as the last pass saw them. */
  attachedClaims: ReadonlySet<string>
}

export interface Drains {
  of(operation: NodeOperation, node: string): HeldDrain | undefined
  /** The drain of that node, begun when there is none. */
  begin(operation: NodeOperation, node: string, times: { startedAt: number; deadline: number }): HeldDrain
  /** Forgets nodes that are not in the batch any more. */
  keepOnly(operation: NodeOperation, nodes: ReadonlySet<string>): void
  forget(operationUid: string): void
  cachedView(session: ClusterSession, held: HeldDrain, node: string): DrainView
  task(cluster: ManagedCluster, held: HeldDrain, member: Member): DrainTask
}

export function createDrains(): Drains {
  const byOperation = new Map<string, Map<string, HeldDrain>>()
  const heldBy = (operation: NodeOperation): Map<string, HeldDrain> => {
    const uid = operation.metadata.uid ?? ''
    const present = byOperation.get(uid) ?? new Map<string, HeldDrain>()
    byOperation.set(uid, present)
    return present
  }
  const task = (cluster: ManagedCluster, { startedAt, deadline, memory }: HeldDrain, member: Member): DrainTask => ({
    node: {
      name: member.name,
      reachable: member.node?.ready ?? false,
      machineOff: member.machine?.state === 'Stopped',
    },
    policy: drainPolicyOf(cluster),
    startedAt,
    operationDeadline: deadline,
    memory,
  })
  return {
    of: (operation, node) => byOperation.get(operation.metadata.uid ?? '')?.get(node),
    begin(operation, node, times) {
      const held = heldBy(operation)
      const drain = held.get(node) ?? { ...times, memory: EMPTY_MEMORY, attachedClaims: new Set<string>() }
      held.set(node, drain)
      return drain
    },
    keepOnly(operation, nodes) {
      const held = byOperation.get(operation.metadata.uid ?? '')
      for (const node of held?.keys() ?? []) if (!nodes.has(node)) held?.delete(node)
    },
    forget: (uid) => {
      byOperation.delete(uid)
    },
    cachedView: (session, held, node) => ({
      pods: session.pods.byIndex(BY_NODE, node),
      budgets: session.budgets.list(),
      daemonSets: namesOf(session.daemonSets.list()),
      attachedClaims: held.attachedClaims,
    }),
    task,
  }
}

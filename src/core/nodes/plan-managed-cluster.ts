/**
 * `planManagedCluster`: the scanner. Counts groups and capacity, and moves a cluster that no operation holds [C]:
 *
 *   an operation's state and nobody holds it -> Alert (left alone while an operation of an older operator may run)
 *   held by an operation that is gone        -> Alert
 *   Created -> Running, Stopped or Alert · Running, not well -> Alert · Alert, well -> Recovering -> Running
 *
 * It never touches nodes, and completes only what it started itself: Recovering.
 */

import { formatTimestamp } from '../../api/timestamp.ts'
import { type Condition, ConditionType } from '../../api/v1alpha1/conditions.ts'
import type { GroupStatus, ManagedClusterStatus, OperationHolder } from '../../api/v1alpha1/managed-cluster.ts'
import { ClusterState } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { type Finding, withFindings } from '../findings.ts'
import { field } from '../optional-field.ts'
import type { Note, Plan } from '../plan.ts'
import { sameStatus } from '../status-equality.ts'
import type { NodeAction } from './action.ts'
import { OPERATION_STATES } from './cluster-state.ts'
import { capacityOf, clusterProblem } from './health.ts'
import { setCluster, stateOf } from './held-cluster.ts'
import type { ManagedClusterObserved, Member } from './model.ts'
import { isHeld } from './node-step.ts'
import { hasEnded } from './operation-status.ts'
import { outOfDate } from './out-of-date.ts'
import { named, type Problem } from './preflight.ts'
import { isServing, isStopped } from './run-facts.ts'
import { note, POLL_MS } from './step.ts'

export type ManagedClusterPlan = Plan<NodeAction, ManagedClusterStatus>

export function planManagedCluster(observed: ManagedClusterObserved, now: number): ManagedClusterPlan {
  const { cluster } = observed
  const problem = clusterProblem(observed)
  const move = orphaned(observed) ?? moved(observed, problem)
  const status = statusOf(observed, { move, problem, now })
  const changed = !sameStatus(cluster.status ?? {}, status)
  return {
    actions: changed ? [setCluster(cluster, status)] : [],
    notes: move?.notes ?? [],
    status,
    ...(move?.state === ClusterState.Recovering ? { requeueAfterMs: POLL_MS } : {}),
  }
}

interface Move {
  readonly state: ClusterState
  readonly notes: readonly Note[]
  readonly lastError?: string
  /** The claim of an operation that is gone. */
  readonly drops?: true
}

/** The cluster is in the state of an operation that will never end. */
function orphaned({ cluster, operations, members }: ManagedClusterObserved): Move | undefined {
  const state = stateOf(cluster)
  const holder = cluster.status?.operation
  if (holder !== undefined) {
    if (operations.some(({ metadata }) => metadata.uid === holder.uid)) return undefined
    const lastError = `${NodeReason.OperationGone}: operation ${holder.name} is gone without having ended${leftBehind(members)}`
    // Only out of the state that it set itself; what is half destroyed can only be destroyed further.
    const leaves = holder.entered === state && state !== ClusterState.Destroying
    const next = leaves ? ClusterState.Alert : state
    return { state: next, lastError, drops: true, notes: [note(NodeReason.OperationGone, lastError, 'Warning')] }
  }
  if (!OPERATION_STATES.has(state) || state === ClusterState.Destroying) return undefined
  const other = operations.find((operation) => operation.status?.startedAt !== undefined && !hasEnded(operation))
  if (other !== undefined) {
    const message = `${state}, and operation ${other.metadata.name} has not ended: left alone`
    return { state, notes: [note(NodeReason.LeftAlone, message)] }
  }
  const lastError = `${NodeReason.OperationGone}: the cluster was ${state}, and no operation holds it`
  return { state: ClusterState.Alert, lastError, notes: [note(NodeReason.OperationGone, lastError, 'Warning')] }
}

/** The scanner never touches a node: the next rollout puts these back in use. */
function leftBehind(members: readonly Member[]): string {
  const held = members.filter(({ node }) => node !== undefined && isHeld(node))
  return held.length === 0 ? '' : `; cordoned or marked by it: ${named(held)}`
}

function moved(observed: ManagedClusterObserved, problem: Problem | undefined): Move | undefined {
  const { cluster } = observed
  // No data moves nothing: an API that does not answer for a moment is no reason for an alarm, a machine that is down is.
  if (cluster.status?.operation !== undefined || problem?.reason === NodeReason.NoData) return undefined
  const state = nextState(observed, problem === undefined)
  if (state === undefined) return undefined
  const message = `${stateOf(cluster)} -> ${state}`
  const why =
    problem === undefined
      ? note(NodeReason.Healthy, message)
      : note(problem.reason, `${message}: ${problem.message}`, 'Warning')
  return { state, notes: [why] }
}

function nextState({ cluster, members }: ManagedClusterObserved, well: boolean): ClusterState | undefined {
  const sound = well ? ClusterState.Running : ClusterState.Alert
  switch (stateOf(cluster)) {
    case ClusterState.Created:
      if (members.length === 0) return undefined
      return members.every(isStopped) ? ClusterState.Stopped : sound
    case ClusterState.Running:
      return well ? undefined : ClusterState.Alert
    case ClusterState.Alert:
      return well ? ClusterState.Recovering : undefined
    case ClusterState.Recovering:
      return sound
    default:
      return undefined
  }
}

interface Findings {
  readonly move: Move | undefined
  readonly problem: Problem | undefined
  readonly now: number
}

function statusOf(observed: ManagedClusterObserved, { move, problem, now }: Findings): ManagedClusterStatus {
  const { cluster, ungrouped } = observed
  const { operation: holder, ...before } = cluster.status ?? {}
  const operation = move?.drops ? undefined : holder
  const state = move?.state ?? stateOf(cluster)
  return {
    ...before,
    ...counted(observed),
    ...field('operation', operation),
    ...field('observedGeneration', cluster.metadata.generation),
    state,
    rotation: operation?.type === 'Rollout' ? 'Rotate' : 'Freeze',
    ...field('lastError', move?.lastError ?? before.lastError),
    ...field('ungrouped', ungrouped.length === 0 ? undefined : ungrouped.slice(0, 16)),
    ...(move?.drops && holder !== undefined ? { lastOperation: goneOperation(holder, now) } : {}),
    conditions: conditionsOf(observed, { state, problem, now }),
  }
}

const goneOperation = ({ name, uid }: OperationHolder, now: number) => ({
  name,
  uid,
  phase: 'Failed' as const,
  finishedAt: formatTimestamp(now),
})

/** What could not be read stays as it was. */
const counted = (observed: ManagedClusterObserved): Pick<ManagedClusterStatus, 'groups' | 'capacity'> => ({
  ...(observed.machinesKnown && observed.nodesKnown ? { groups: groupsOf(observed) } : {}),
  ...(observed.machinesKnown ? { capacity: capacityOf(observed.members) } : {}),
})

function groupsOf({ cluster, members }: ManagedClusterObserved): GroupStatus[] {
  return cluster.spec.nodeGroups.map(({ name, type, settings }) => {
    const own = members.filter(({ group }) => group === name)
    const ready = own.filter(isServing).length
    const differing = own.filter((member: Member) => outOfDate(member.machine, settings).length > 0).length
    return { name, type, nodes: own.length, ready, outOfDate: differing, unavailable: own.length - ready }
  })
}

function conditionsOf(
  { cluster }: ManagedClusterObserved,
  { state, problem, now }: { state: ClusterState; problem: Problem | undefined; now: number },
): Condition[] {
  const holder = cluster.status?.operation
  const operating = holder !== undefined && OPERATION_STATES.has(state)
  const cause = causeOf(state, problem)
  const ready = state === ClusterState.Running || state === ClusterState.Stopped
  const moving = operating || state === ClusterState.Recovering || state === ClusterState.Created
  const doing = {
    reason: NodeReason.Operating,
    message: holder === undefined ? state : `operation ${holder.name}: ${state}`,
  }
  const stalled = !moving && !ready
  return withFindings(
    cluster.status?.conditions,
    [
      [ConditionType.Ready, { status: readyStatus(ready || operating, state, problem), ...cause }],
      [ConditionType.Reconciling, moving ? { status: 'True', ...doing } : undefined],
      [ConditionType.Stalled, stalled ? { status: 'True', ...cause } : undefined],
    ],
    { generation: cluster.metadata.generation, now },
  )
}

function readyStatus(may: boolean, state: ClusterState, problem: Problem | undefined): Finding['status'] {
  if (!may) return 'False'
  if (state === ClusterState.Stopped || problem === undefined) return 'True'
  return problem.reason === NodeReason.NoData ? 'Unknown' : 'False'
}

function causeOf(state: ClusterState, problem: Problem | undefined): Problem {
  if (state === ClusterState.Stopped) return { reason: NodeReason.Stopped, message: 'stopped on purpose' }
  return problem ?? { reason: NodeReason.Healthy, message: 'every machine runs and every node is Ready' }
}

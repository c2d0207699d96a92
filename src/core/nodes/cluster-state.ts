/**
 * How operations move a ManagedCluster from state to state [C]. Every move is one compare-and-set: an operation enters a state of
 * its own before it changes anything, and later moves the cluster only out of the state that it set itself.
 *
 *   Created  --Start-->   Starting             Error    --Start-->   stays Error
 *   Stopped  --Start-->   Starting             Created  --Stop-->    stays Created
 *   Alert    --Start-->   Starting             Error    --Stop-->    stays Error
 *   Running  --Stop-->    Stopping             Destroying --Destroy--> stays Destroying
 *   Alert    --Stop-->    Stopping             Running  --Scale-->   Scaling
 *   Running  --Rollout--> Updating             Running  --Upgrade--> Upgrading
 *   Alert    --Rollout--> Updating             Alert    --Upgrade--> Upgrading (to resume the same upgrade only)
 *   Running, Alert, Stopped, Error --Destroy--> Destroying
 *
 * Anything else is refused. The scanner: Alert -> Recovering -> Running, Running -> Alert, and the first look at Created.
 */
import { ClusterState, type OperationOutcome, type OperationType } from '../../api/v1alpha1/node-phases.ts'

/** Runs without a change of state, and leaves the state alone at the end. */
const UNCHANGED = 'unchanged'

type Entry = ClusterState | typeof UNCHANGED

const ENTRIES: Readonly<Record<OperationType, Partial<Readonly<Record<ClusterState, Entry>>>>> = {
  Rollout: { Running: ClusterState.Updating, Alert: ClusterState.Updating },
  Upgrade: { Running: ClusterState.Upgrading, Alert: ClusterState.Upgrading },
  Scale: { Running: ClusterState.Scaling },
  Start: {
    Created: ClusterState.Starting,
    Stopped: ClusterState.Starting,
    Alert: ClusterState.Starting,
    Error: UNCHANGED,
  },
  Stop: { Running: ClusterState.Stopping, Alert: ClusterState.Stopping, Created: UNCHANGED, Error: UNCHANGED },
  Destroy: {
    Running: ClusterState.Destroying,
    Alert: ClusterState.Destroying,
    Stopped: ClusterState.Destroying,
    Error: ClusterState.Destroying,
    Destroying: UNCHANGED,
  },
}

/** States that only an operation sets. */
export const OPERATION_STATES: ReadonlySet<ClusterState> = new Set([
  ClusterState.Updating,
  ClusterState.Upgrading,
  ClusterState.Scaling,
  ClusterState.Starting,
  ClusterState.Stopping,
  ClusterState.Destroying,
])

export type EntryVerdict =
  | { readonly allowed: true /** Absent: the state stays as it is. */; readonly entered?: ClusterState }
  | { readonly allowed: false; readonly message: string }

/** Whether an operation may take a cluster that is in this state, and the state it gets. */
export function entryOf(type: OperationType, state: ClusterState): EntryVerdict {
  const entry = ENTRIES[type][state]
  if (entry === undefined) {
    const from = Object.keys(ENTRIES[type]).join(', ')
    return { allowed: false, message: `the cluster is ${state}; an operation of type ${type} starts from ${from}` }
  }
  return entry === UNCHANGED ? { allowed: true } : { allowed: true, entered: entry }
}

export interface End {
  readonly type: OperationType
  readonly outcome: OperationOutcome
  /** State the operation set; absent: none. */
  readonly entered: ClusterState | undefined
  readonly present: ClusterState
  /** State the cluster had before. */
  readonly from: ClusterState
  readonly healthy: boolean
  /** Nothing was begun: the cluster goes back to where it was. */
  readonly giveBack: boolean
}

/** The state at the end. A cluster that is no longer in the state that the operation set is left alone. */
export function endState(end: End): ClusterState {
  if (end.entered === undefined || end.present !== end.entered || end.type === 'Destroy') return end.present
  if (end.giveBack) return end.from
  if (end.type === 'Stop') return end.outcome === 'Succeeded' ? ClusterState.Stopped : ClusterState.Alert
  return end.healthy ? ClusterState.Running : ClusterState.Alert
}

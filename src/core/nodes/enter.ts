/** How an operation takes its cluster, or is told why it cannot [C]. */
import { formatTimestamp } from '../../api/timestamp.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import type { OperationHolder } from '../../api/v1alpha1/managed-cluster.ts'
import { OperationPhase, type OperationType } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { entryOf } from './cluster-state.ts'
import { holderOf, setCluster, stateOf } from './held-cluster.ts'
import type { NodesObserved, Settings } from './model.ts'
import { isCancelled } from './plan-next.ts'
import type { Problem } from './preflight.ts'
import { note, POLL_MS, type Step } from './step.ts'
import { refuseStored } from './store-settings.ts'

/**
 * Why the run may not be bound to the settings that are stored: all that is wrong with them. Asked before it is, while a
 * requester that still stores them is waited for there is nothing to ask.
 */
export function settingsRefusal(observed: NodesObserved): Problem | undefined {
  const { type, settingsStored } = observed.operation.spec
  const { problems: known = new Map() } = observed
  if (type !== 'Rollout' || !settingsStored || known === 'unknown') return undefined
  const problems = refuseStored(observed, known)
  if (problems.length === 0) return undefined
  const message = problems
    .map((problem) => problem.message)
    .join('; ')
    .slice(0, 4_000)
  return { reason: NodeReason.SettingsRefused, message }
}

/** Types that this operator carries out. */
const CARRIED_OUT: ReadonlySet<OperationType> = new Set(['Rollout', 'Start', 'Stop', 'Destroy'])

export function planEnter(observed: NodesObserved, now: number): Step {
  const { operation, cluster } = observed
  const ended = cluster.status?.lastOperation
  // Its own end was written, and lost: the cluster remembers it.
  if (ended !== undefined && ended.uid === operation.metadata.uid)
    return over(ended.phase, NodeReason.Released, 'it has ended')
  if (isCancelled(observed)) return over('Cancelled', NodeReason.Cancelled, 'cancelled before it took the cluster')
  const refused = refusal(observed) ?? settingsRefusal(observed)
  if (refused !== undefined) return over('Failed', refused.reason, refused.message)
  if (observed.problems === 'unknown') return waitForProvider(now)
  if (!(operation.metadata.finalizers ?? []).includes(Finalizer.nodeOperation)) {
    const message = 'about to take the cluster'
    return { actions: [{ kind: 'AddFinalizer' }], phase: OperationPhase.Pending, reason: NodeReason.Entered, message }
  }
  return take(observed, now)
}

export function waitForProvider(now: number): Step {
  const message = 'waits: the provider could not be asked about the settings'
  return {
    reason: NodeReason.NoData,
    message,
    notes: [note(NodeReason.NoData, message, 'Warning')],
    wakeAt: [now + POLL_MS],
  }
}

const over = (
  phase: 'Succeeded' | 'Failed' | 'Cancelled' | 'Superseded',
  reason: NodeReason,
  message: string,
): Step => ({
  phase,
  reason,
  message,
  notes: [note(reason, message, phase === 'Failed' ? 'Warning' : 'Info')],
})

/** Why an operation may not take the cluster now; undefined when it may. */
export function refusal(observed: NodesObserved): Problem | undefined {
  const { operation, cluster } = observed
  const { type } = operation.spec
  const holder = holderOf(cluster)
  if (holder !== undefined) {
    const message = `operation ${holder.name} (${holder.type}) holds the cluster since ${holder.startedAt}`
    return { reason: NodeReason.ClusterBusy, message }
  }
  if (cluster.metadata.deletionTimestamp !== undefined)
    return { reason: NodeReason.StateRefused, message: 'the ManagedCluster is being deleted' }
  const entry = entryOf(type, stateOf(cluster))
  if (!entry.allowed) return { reason: NodeReason.StateRefused, message: entry.message }
  const missing = unsupported(observed)
  return missing === undefined ? undefined : { reason: NodeReason.Unsupported, message: missing }
}

function unsupported(observed: NodesObserved): string | undefined {
  const { type, strategy = 'Restart' } = observed.operation.spec
  if (!CARRIED_OUT.has(type)) return `operations of type ${type} are not carried out by this operator`
  const own = observed.members.find(({ node }) => node?.holdsOperator === true)
  if (own !== undefined && (type === 'Destroy' || type === 'Stop'))
    return `this operator runs on ${own.name}: it would not come to the end of it`
  if (type === 'Destroy') return observed.capabilities.replace ? undefined : 'the provider cannot terminate machines'
  if (!observed.capabilities.restart) return 'the provider cannot stop and start machines'
  if (type !== 'Rollout') return undefined
  if (strategy !== 'Restart') return `strategy ${strategy} is not carried out by this operator: use Restart`
  return unchangeable(observed)
}

const CHANGED = ['offering', 'rootDiskSizeGB', 'affinityGroups'] as const

function unchangeable({ cluster, capabilities }: NodesObserved): string | undefined {
  const fixed = CHANGED.filter((field) => !capabilities.changes.has(field))
  for (const { name, settings } of cluster.spec.nodeGroups) {
    const asked = fixed.find((field) => settings[field] !== undefined)
    if (asked !== undefined) return `the provider cannot change ${asked} of a machine, which group ${name} asks for`
  }
  return undefined
}

/** One write decides who has the cluster. */
function take(observed: NodesObserved, now: number): Step {
  const { operation, cluster } = observed
  const { type, settingsStored } = operation.spec
  const state = stateOf(cluster)
  const entry = entryOf(type, state)
  const entered = entry.allowed ? entry.entered : undefined
  const holder: OperationHolder = {
    name: operation.metadata.name ?? '',
    uid: operation.metadata.uid ?? '',
    type,
    startedAt: formatTimestamp(now),
    from: state,
    ...(entered === undefined ? {} : { entered }),
    ...(settingsStored && type === 'Rollout' ? { wanted: wantedNow(observed) } : {}),
  }
  const status = {
    ...cluster.status,
    operation: holder,
    ...(entered === undefined ? {} : { state: entered }),
    ...(type === 'Rollout' ? { rotation: 'Rotate' as const } : {}),
  }
  const message = `takes the cluster: ${state} -> ${entered ?? state}`
  return {
    actions: [setCluster(cluster, status)],
    phase: OperationPhase.Pending,
    reason: NodeReason.Entered,
    message,
    notes: [note(NodeReason.Entered, message)],
  }
}

/** The settings are fixed now: later changes of the spec wait for the next run. */
export function wantedNow({ cluster }: NodesObserved): NonNullable<OperationHolder['wanted']> {
  return cluster.spec.nodeGroups.map(({ name, settings }) => ({ name, settings: settings satisfies Settings }))
}

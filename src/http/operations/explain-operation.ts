/** Why an operation does, waits for, or refuses what it does now, out of its status and that of its cluster. */
import { Annotation } from '../../api/v1alpha1/labels.ts'
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation, OperationNode } from '../../api/v1alpha1/node-operation.ts'
import { OperationPhase } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { holderOf } from '../../core/nodes/held-cluster.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import type { NoteView } from '../schemas/note.ts'
import { nodesOf, reasonOf } from '../views/operation-view.ts'

/** `cluster` absent: it is gone. */
export function explainOperation(operation: NodeOperation, cluster: ManagedCluster | undefined): NoteView[] {
  const { status } = operation
  const level = status?.phase === OperationPhase.Failed ? 'Warning' : 'Info'
  const message = status?.message ?? 'no operator has looked at it yet'
  return [
    { reason: reasonOf(operation) ?? OperationPhase.Pending, message, level },
    ...cancelNote(operation),
    ...nodesOf(operation).map(nodeNote),
    ...(hasEnded(operation) ? [] : aroundIt(operation, cluster)),
  ]
}

function cancelNote(operation: NodeOperation): NoteView[] {
  if (!operation.spec.cancel) return []
  const reason = operation.metadata.annotations?.[Annotation.cancelReason]
  const message = hasEnded(operation) ? 'it was cancelled' : 'it ends after the nodes that are being worked on'
  return [note('Cancelled', reason === undefined ? message : `${message}: ${reason}`)]
}

function nodeNote({ name, step, since, message }: OperationNode): NoteView {
  const why = message === undefined ? '' : `: ${message}`
  return {
    reason: step,
    message: `${step} since ${since}${why}`,
    level: step === 'Failed' || step === 'Skipped' ? 'Warning' : 'Info',
    about: name,
  }
}

function aroundIt(operation: NodeOperation, cluster: ManagedCluster | undefined): NoteView[] {
  const { spec, metadata } = operation
  const holder = cluster === undefined ? undefined : holderOf(cluster)
  const freeze = cluster?.spec.policy.freeze?.reason
  const notes: (NoteView | undefined)[] = [
    cluster === undefined
      ? note('OperationGone', `there is no ManagedCluster ${spec.clusterRef.name}`, 'Warning')
      : undefined,
    holder !== undefined && holder.uid !== metadata.uid
      ? note('ClusterBusy', `operation ${holder.name} (${holder.type}) holds the cluster since ${holder.startedAt}`)
      : undefined,
    freeze === undefined
      ? undefined
      : note('Frozen', `the cluster is frozen, nothing new starts: ${freeze}`, 'Warning'),
  ]
  return notes.filter((one) => one !== undefined)
}

const note = (reason: keyof typeof NodeReason, message: string, level: NoteView['level'] = 'Info'): NoteView => ({
  reason: NodeReason[reason],
  message,
  level,
})

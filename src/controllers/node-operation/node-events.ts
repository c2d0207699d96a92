/**
 * Events about nodes of a run. How each one ended stands at the Node itself, in its own cluster, for `kubectl describe node`; what
 * went wrong stands at the operation as well. Single steps are in the status and the log only: a run over thousands of nodes would
 * write more Events than anything else.
 */
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { Note } from '../../core/plan.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import { objectKey } from '../../kube/object-key.ts'
import type { ClusterSession } from '../cluster/sessions.ts'
import { recordEvent } from '../note-publisher.ts'

export interface NodeEventTargets {
  readonly operation: NodeOperation
  /** Of the host. */
  readonly recorder: EventRecorder
  /** Absent: the cluster cannot be reached, and its nodes hear nothing. */
  readonly session: Pick<ClusterSession, 'nodes' | 'recorder'> | undefined
}

const ENDS: ReadonlySet<string> = new Set([NodeReason.NodeDone, NodeReason.LeftoverReleased])

export function recordNodeEvents(targets: NodeEventTargets, notes: readonly Note[]): void {
  for (const note of notes) {
    const isFailure = note.level === 'Warning'
    if (note.about?.kind !== 'Node' || !(isFailure || ENDS.has(note.reason))) continue
    if (isFailure) recordEvent(targets.recorder, targets.operation, note)
    recordAtNode(targets, note.about.name, note)
  }
}

/** Machines of an external etcd have none. */
function recordAtNode({ operation, session }: NodeEventTargets, name: string, note: Note): void {
  const node = session?.nodes.get(undefined, name)
  if (session === undefined || node === undefined) return
  const subject = { apiVersion: 'v1', kind: 'Node', metadata: node.metadata }
  recordEvent(session.recorder, subject, { ...note, message: `NodeOperation ${objectKey(operation)}: ${note.message}` })
}

/** A NodeOperation on the wire. */
import { parseTimestamp } from '../../api/timestamp.ts'
import { ConditionType } from '../../api/v1alpha1/conditions.ts'
import { Annotation } from '../../api/v1alpha1/labels.ts'
import type { NodeOperation, NodeStep, OperationNode } from '../../api/v1alpha1/node-operation.ts'
import { OperationPhase } from '../../api/v1alpha1/node-phases.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { field } from '../../core/optional-field.ts'
import type { OperationView } from '../schemas/operation.ts'

/** `now` is epoch milliseconds. */
export function operationView(operation: NodeOperation, now: number): OperationView {
  const { metadata, spec, status = {} } = operation
  const ended = hasEnded(operation)
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    cluster: spec.clusterRef.name,
    type: spec.type,
    ...field('strategy', spec.strategy),
    phase: status.phase ?? OperationPhase.Pending,
    ended,
    ...field('state', status.state),
    ...field('reason', reasonOf(operation)),
    ...field('message', status.message),
    ...field('createdAt', metadata.creationTimestamp),
    ...field('startedAt', status.startedAt),
    ...field('endedAt', status.finishedAt),
    ...field('progress', status.counts),
    nodes: nodesOf(operation).map(nodeView),
    ...etaView(status.eta, now),
    ...field('lastError', status.phase === OperationPhase.Failed ? status.message : undefined),
    ...field('maxUnavailable', spec.maxUnavailable),
    allowLastWorker: spec.allowLastWorker,
    ...(ended || spec.settingsStored ? {} : { storingSettings: true }),
    cancelRequested: spec.cancel,
    ...field('cancelReason', metadata.annotations?.[Annotation.cancelReason]),
    ...field('requestedBy', metadata.annotations?.[Annotation.requestedBy]),
  }
}

const LEFT_OUT: ReadonlySet<NodeStep> = new Set(['Failed', 'Skipped'])

/** Those that are worked on, failed or were skipped: a run that has succeeded works on none, wherever it was seen last. */
export function nodesOf({ status }: NodeOperation): readonly OperationNode[] {
  const nodes = status?.nodes ?? []
  return status?.phase === OperationPhase.Succeeded ? nodes.filter(({ step }) => LEFT_OUT.has(step)) : nodes
}

/** Every status says why in the reason of its condition Ready. */
export function reasonOf({ status }: NodeOperation): string | undefined {
  return status?.conditions?.find(({ type }) => type === ConditionType.Ready)?.reason
}

function etaView(eta: string | undefined, now: number): Pick<OperationView, 'eta' | 'etaMs'> {
  const at = parseTimestamp(eta ?? '')
  return eta === undefined || at === undefined ? {} : { eta, etaMs: Math.max(0, at - now) }
}

const nodeView = ({ name, group, step, since, message }: OperationNode): OperationView['nodes'][number] => ({
  name,
  group,
  step,
  since,
  ...field('waitingFor', message),
})

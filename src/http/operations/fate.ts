/** What becomes of an operation that was asked for: it takes its cluster, or it ends without. Told by the caches, not polled. */
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { OperationPhase } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { holderOf } from '../../core/nodes/held-cluster.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { ApiError, type ApiErrorReason } from '../errors.ts'
import { reasonOf } from '../views/operation-view.ts'
import { waitForObject } from '../wait.ts'
import type { Stores } from './create-operation.ts'

/** Resolves when the operation holds its cluster or has ended, when it is gone, or after `ms`. Answers its state then. */
export async function untilDecided(context: Stores, operation: NodeOperation, ms: number): Promise<NodeOperation> {
  return await until(context, operation, { ms, done: (current) => hasEnded(current) || holds(context, current) })
}

/** Resolves when it has ended, when it is gone, or after `ms`. */
export async function untilEnded(context: Stores, operation: NodeOperation, ms: number): Promise<NodeOperation> {
  return await until(context, operation, { ms, done: hasEnded })
}

async function until(
  context: Stores,
  operation: NodeOperation,
  { ms, done }: { readonly ms: number; readonly done: (operation: NodeOperation) => boolean },
): Promise<NodeOperation> {
  const { operations, clusters, deps, closing } = context
  const { name = '' } = operation.metadata
  const store = {
    peek: operations.peek,
    onChange(_name: string, listener: () => void) {
      const stops = [operations.onChange(name, listener), clusters.onChange(operation.spec.clusterRef.name, listener)]
      return () => {
        for (const stop of stops) stop()
      }
    },
  }
  await waitForObject({ store, clock: deps.clock }, name, { ms, signal: closing, done })
  return operations.peek(name) ?? operation
}

export function holds({ clusters }: Pick<Stores, 'clusters'>, { metadata, spec }: NodeOperation): boolean {
  const cluster = clusters.peek(spec.clusterRef.name)
  return cluster !== undefined && holderOf(cluster)?.uid === metadata.uid
}

/** An end without having begun, by its reason. */
const REFUSALS: Readonly<Record<string, ApiErrorReason>> = {
  [NodeReason.ClusterBusy]: 'cluster_busy',
  [NodeReason.StateRefused]: 'cluster_state_refused',
  [NodeReason.Unsupported]: 'operation_unsupported',
  [NodeReason.SettingsRefused]: 'settings_refused',
}

/** Why it was refused; undefined: it was not. */
export function refusalOf(operation: NodeOperation): ApiError | undefined {
  const { status } = operation
  const reason = REFUSALS[reasonOf(operation) ?? '']
  if (status?.phase !== OperationPhase.Failed || reason === undefined) return undefined
  return new ApiError(reason, {
    detail: `${operation.metadata.name}: ${status.message ?? ''}`,
    field: reason === 'settings_refused' ? 'settings' : 'cluster',
  })
}

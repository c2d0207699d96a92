/** Operations that have ended are kept as the history of their cluster, the newest ones. */
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { field } from '../../core/optional-field.ts'
import { isKubeError } from '../../kube/errors.ts'
import { refOf } from '../../kube/request-path.ts'
import type { NodeDeps } from './deps.ts'

/** For each cluster. */
export const HISTORY_LIMIT = 10

/** Those that go: they have ended, hold nothing any more, and ten newer ones have ended too. */
export function outdated(operations: readonly NodeOperation[]): readonly NodeOperation[] {
  const ended = operations.filter(
    (operation) =>
      hasEnded(operation) &&
      (operation.metadata.finalizers ?? []).length === 0 &&
      operation.metadata.deletionTimestamp === undefined,
  )
  const endOf = ({ metadata, status }: NodeOperation): string => status?.finishedAt ?? metadata.creationTimestamp ?? ''
  return ended.toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : -1)).slice(HISTORY_LIMIT)
}

export async function trimHistory(
  { client }: Pick<NodeDeps, 'client'>,
  operations: readonly NodeOperation[],
): Promise<void> {
  for (const operation of outdated(operations)) {
    try {
      await client.delete(NODE_OPERATIONS, refOf(operation), field('uid', operation.metadata.uid))
    } catch (error) {
      if (!isKubeError(error, 'NotFound', 'Conflict')) throw error
    }
  }
}

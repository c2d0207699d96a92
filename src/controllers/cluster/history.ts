/** Operations that have ended are kept as the history of their cluster, the newest ones. */
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { field } from '../../core/optional-field.ts'
import { isKubeError } from '../../kube/errors.ts'
import { refOf } from '../../kube/request-path.ts'
import { BY_CLUSTER, type NodeDeps } from './deps.ts'

/** The cluster is gone: what has ended of its operations goes too, all but this one. */
export async function forgetHistory(deps: Pick<NodeDeps, 'client' | 'caches'>, except: NodeOperation): Promise<void> {
  const { metadata, spec } = except
  const others = deps.caches.operations
    .byIndex(BY_CLUSTER, spec.clusterRef.name)
    .filter((one) => one.metadata.namespace === metadata.namespace && one.metadata.uid !== metadata.uid)
  await remove(deps, endedOf(others))
}

/** For each cluster. */
export const HISTORY_LIMIT = 10

/** Those that go: they have ended, hold nothing any more, and ten newer ones have ended too. */
export function outdated(operations: readonly NodeOperation[]): readonly NodeOperation[] {
  const endOf = ({ metadata, status }: NodeOperation): string => status?.finishedAt ?? metadata.creationTimestamp ?? ''
  return endedOf(operations)
    .toSorted((a, b) => (endOf(a) < endOf(b) ? 1 : -1))
    .slice(HISTORY_LIMIT)
}

export async function trimHistory(deps: Pick<NodeDeps, 'client'>, operations: readonly NodeOperation[]): Promise<void> {
  await remove(deps, outdated(operations))
}

const endedOf = (operations: readonly NodeOperation[]): readonly NodeOperation[] =>
  operations.filter(
    (operation) =>
      hasEnded(operation) &&
      (operation.metadata.finalizers ?? []).length === 0 &&
      operation.metadata.deletionTimestamp === undefined,
  )

async function remove({ client }: Pick<NodeDeps, 'client'>, operations: readonly NodeOperation[]): Promise<void> {
  for (const operation of operations) {
    try {
      await client.delete(NODE_OPERATIONS, refOf(operation), field('uid', operation.metadata.uid))
    } catch (error) {
      if (!isKubeError(error, 'NotFound', 'Conflict')) throw error
    }
  }
}

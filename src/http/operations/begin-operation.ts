/** Sees an operation that was created through its beginning, until it works by itself or has been refused. */
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import type { AskedSettings } from '../../core/nodes/cluster-insight.ts'
import { holderOf } from '../../core/nodes/held-cluster.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { writeSettings } from '../clusters/store-settings.ts'
import { ApiError } from '../errors.ts'
import type { Stores } from './create-operation.ts'
import { holds, refusalOf, untilDecided, untilEnded } from './fate.ts'
import { cancelOperation, confirmSettings, endedAlready } from './operation-writes.ts'

/** Answers the operation as it is then. @throws ApiError: it was refused, or its settings were not stored and it is cancelled */
export async function beginOperation(
  context: Stores,
  created: NodeOperation,
  settings: AskedSettings | undefined,
): Promise<NodeOperation> {
  const decided = await untilDecided(context, created, context.limits.operationStartMs)
  const refused = refusalOf(decided)
  if (refused !== undefined) throw refused
  if (settings === undefined || decided.spec.settingsStored) return decided
  if (hasEnded(decided)) throw endedAlready(decided)
  try {
    if (!holds(context, decided)) throw notStarted(context)
    await storeFor(context, decided, settings)
    return await confirmSettings(context, decided)
  } catch (error) {
    await giveUp(context, decided, reasonFor(error))
    throw error
  }
}

const notStarted = ({ limits }: Stores): ApiError =>
  new ApiError('operation_not_started', {
    detail: `The operation has not taken the cluster within ${limits.operationStartMs / 1000} s and is cancelled: is an operator leading?`,
    retryAfterSeconds: 5,
  })

/** Only while it is this operation that holds the cluster, and the settings are not fixed yet. */
async function storeFor(context: Stores, operation: NodeOperation, settings: AskedSettings): Promise<void> {
  const { name = '', uid } = operation.metadata
  const cluster = context.clusters.peek(operation.spec.clusterRef.name)
  if (cluster === undefined) throw new ApiError('cluster_not_found', { field: 'cluster' })
  await writeSettings(context, cluster, { settings, rollout: true }, async (current) => {
    const holder = holderOf(current)
    if (holder?.uid !== uid || holder?.outcome !== undefined)
      throw endedAlready((await context.operations.read(name)) ?? operation)
  })
}

/** Causes of other kinds may tell what is nobody's business. */
const reasonFor = (error: unknown): string =>
  error instanceof ApiError
    ? [error.message, error.details.detail].filter(Boolean).join(': ')
    : 'the settings could not be stored'

/** Nothing was begun: the cluster goes back to the state it had. What cannot be cancelled gives up by itself. */
async function giveUp(context: Stores, operation: NodeOperation, why: string): Promise<void> {
  const { deps, limits } = context
  try {
    const cancelled = await cancelOperation(context, operation, why)
    await untilEnded(context, cancelled, limits.operationStartMs)
  } catch (error) {
    if (error instanceof ApiError && (error.reason === 'operation_ended' || error.reason === 'operation_not_found'))
      return
    deps.log.warn(
      { NodeOperation: operation.metadata.name, err: error },
      'an operation whose settings were not stored could not be cancelled',
    )
  }
}

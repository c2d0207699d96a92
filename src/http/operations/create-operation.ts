/**
 * An operation that is asked for: it is created, and its fate is awaited. In this order: free and in a state it may start from ·
 * settings that nothing speaks against now · created · it takes the cluster, or loses · its settings are judged and stored · it is told that they are.
 *
 * Between taking the cluster and the stored settings nothing has been changed: whatever fails there cancels the operation, and the
 * cluster goes back to where it was. When this process dies there, the operation gives up by itself after `nodeTimeout`; a
 * repeated request with the same idempotency key goes on where the first one was.
 */
import { Annotation, Label, OPERATOR_NAME } from '../../api/v1alpha1/labels.ts'
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation, NodeOperationInput } from '../../api/v1alpha1/node-operation.ts'
import { NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import { entryOf } from '../../core/nodes/cluster-state.ts'
import { stateOf } from '../../core/nodes/held-cluster.ts'
import { field } from '../../core/optional-field.ts'
import { isKubeError } from '../../kube/errors.ts'
import { acceptedGroups, requireFree } from '../clusters/refusals.ts'
import type { HttpContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { refusedByServer } from '../refused-by-server.ts'
import type { OperationRequest } from './operation-request.ts'

export type Stores = Pick<HttpContext, 'deps' | 'clusters' | 'operations' | 'limits' | 'closing'>

/** The operation of the request: a new one, or the earlier one of the same idempotency key. @throws ApiError: why not */
export async function createOperation(
  context: Stores,
  request: OperationRequest,
  cluster: ManagedCluster,
): Promise<{ readonly operation: NodeOperation; readonly created: boolean }> {
  const name = nameFor(context, request)
  if (request.idempotency !== undefined) {
    const earlier = await context.operations.read(name)
    if (earlier !== undefined) return { operation: sameRequest(request, earlier), created: false }
  }
  const current = await fresh(context, cluster)
  requireEnterable(request, current)
  // Judged again when the operation holds the cluster: until then anybody may change it.
  if (request.settings !== undefined)
    await acceptedGroups(context, current, { settings: request.settings, rollout: true })
  try {
    const operation = await context.deps.client.create(NODE_OPERATIONS, newOperation(context, request, name))
    context.operations.wrote(operation)
    return { operation, created: true }
  } catch (error) {
    if (isKubeError(error, 'AlreadyExists'))
      return { operation: await overtaken(context, request, name), created: false }
    throw refusedByServer(error, 'operation')
  }
}

/** Sees at once what would be refused after a while, so that a request that cannot win leaves no operation behind. */
function requireEnterable({ type }: OperationRequest, cluster: ManagedCluster): void {
  requireFree(cluster)
  const entry = entryOf(type, stateOf(cluster))
  if (!entry.allowed) throw new ApiError('cluster_state_refused', { detail: entry.message, field: 'cluster' })
}

async function fresh({ clusters }: Stores, { metadata }: ManagedCluster): Promise<ManagedCluster> {
  const cluster = await clusters.read(metadata.name ?? '')
  if (cluster !== undefined) return cluster
  throw new ApiError('cluster_not_found', { field: 'cluster' })
}

/** With an idempotency key the name follows from it alone: the API server's AlreadyExists is the arbiter. */
function nameFor({ deps }: Stores, { type, idempotency }: OperationRequest): string {
  return idempotency === undefined
    ? `${type.toLowerCase()}-${deps.random.hex(6)}`
    : `op-${idempotency.keyHash.slice(0, 12)}`
}

function newOperation({ deps }: Stores, request: OperationRequest, name: string): NodeOperation {
  const { principal, cluster, type, settings, maxUnavailable, allowLastWorker, selector, idempotency } = request
  const operation: NodeOperationInput = {
    metadata: {
      name,
      namespace: deps.namespace,
      labels: { [Label.managedBy]: OPERATOR_NAME },
      annotations: {
        [Annotation.requestedBy]: principal.identity,
        ...field(Annotation.idempotency, markOf(idempotency)),
      },
    },
    spec: {
      type,
      clusterRef: { name: cluster },
      allowLastWorker: allowLastWorker ?? false,
      settingsStored: settings === undefined,
      cancel: false,
      ...field('maxUnavailable', maxUnavailable),
      ...field('selector', selector),
    },
  }
  // Every field with a default is given: what the API server answers is a whole NodeOperation.
  return operation as NodeOperation
}

const markOf = (idempotency: OperationRequest['idempotency']): string | undefined =>
  idempotency === undefined ? undefined : `${idempotency.keyHash}.${idempotency.requestHash}`

function sameRequest({ idempotency }: OperationRequest, operation: NodeOperation): NodeOperation {
  if (operation.metadata.annotations?.[Annotation.idempotency] === markOf(idempotency)) return operation
  throw new ApiError('idempotency_mismatch', { field: 'idempotencyKey' })
}

async function overtaken(context: Stores, request: OperationRequest, name: string): Promise<NodeOperation> {
  const operation = await context.operations.read(name)
  // Gone between two calls, or one chance in 2^48 for a random name: the next attempt succeeds.
  if (operation === undefined || request.idempotency === undefined)
    throw new ApiError('operation_not_started', { retryAfterSeconds: 1 })
  return sameRequest(request, operation)
}

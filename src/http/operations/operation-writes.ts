/** The two fields of an operation that may change: each only ever becomes true, so writing it again is no harm. */
import { Annotation } from '../../api/v1alpha1/labels.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { NODE_OPERATIONS } from '../../api/v1alpha1/resources.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { field } from '../../core/optional-field.ts'
import { isKubeError } from '../../kube/errors.ts'
import { fenceOf } from '../../kube/fenced-patch.ts'
import { refOf } from '../../kube/request-path.ts'
import type { HttpContext } from '../context.ts'
import { ApiError } from '../errors.ts'

type Stores = Pick<HttpContext, 'deps' | 'operations'>

const ATTEMPTS = 8
const MAX_REASON = 1_000

/** `why` stays with the operation, for whoever looks at it later. @throws ApiError `operation_not_found`, `operation_ended`, `conflict_retryable` */
export const cancelOperation = (context: Stores, operation: NodeOperation, why: string): Promise<NodeOperation> =>
  setTrue(context, operation, { field: 'cancel', annotations: { [Annotation.cancelReason]: why.slice(0, MAX_REASON) } })

/** @throws ApiError `operation_not_found`, `operation_ended`, `conflict_retryable` */
export const confirmSettings = (context: Stores, operation: NodeOperation): Promise<NodeOperation> =>
  setTrue(context, operation, { field: 'settingsStored' })

interface Change {
  readonly field: 'cancel' | 'settingsStored'
  readonly annotations?: Readonly<Record<string, string>>
}

async function setTrue(
  context: Stores,
  operation: NodeOperation,
  { field: what, annotations }: Change,
): Promise<NodeOperation> {
  const { name = '', uid } = operation.metadata
  let current: NodeOperation | undefined = operation
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // An operation of the same name with another UID is another one.
    if (current === undefined || current.metadata.uid !== uid) throw new ApiError('operation_not_found')
    if (hasEnded(current)) throw endedAlready(current)
    if (current.spec[what]) return current
    const written = await tryWrite(context, current, { spec: { [what]: true }, ...field('annotations', annotations) })
    if (written !== undefined) return written
    current = await context.operations.read(name)
  }
  throw new ApiError('conflict_retryable', {
    error: 'The operation is changing too fast',
    detail: `${ATTEMPTS} attempts were overtaken by other writers; send the request again`,
  })
}

export function endedAlready({ metadata, status }: NodeOperation): ApiError {
  const why = status?.message === undefined ? '' : `: ${status.message}`
  return new ApiError('operation_ended', {
    detail: `Operation ${metadata.name} is ${status?.phase}${why}`,
    field: 'name',
  })
}

/** Undefined: another writer was first. */
async function tryWrite(
  { deps, operations }: Stores,
  current: NodeOperation,
  { spec, annotations }: { readonly spec: object; readonly annotations?: object },
): Promise<NodeOperation | undefined> {
  try {
    const body = { metadata: { ...fenceOf(current), ...field('annotations', annotations) }, spec }
    const written = await deps.client.patch(NODE_OPERATIONS, refOf(current), { type: 'merge', body })
    operations.wrote(written)
    return written
  } catch (error) {
    if (isKubeError(error, 'NotFound')) throw new ApiError('operation_not_found')
    if (isKubeError(error, 'Conflict')) return undefined
    throw error
  }
}

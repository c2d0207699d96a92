/** A namespaced object needs a namespace that exists and is not going away. */
import { forbidden, notFound } from '../errors.ts'
import type { WriteCore } from './core.ts'
import type { ResourceDefinition } from './resource-definition.ts'

export const NAMESPACES = { group: '', plural: 'namespaces' }

/** @throws ApiError 404 or 403 */
export function admitToNamespace(
  core: WriteCore,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): void {
  const entry = core.store.get('namespaces', namespace)
  if (entry === undefined) throw notFound(NAMESPACES, namespace)
  if (entry.object.metadata.deletionTimestamp === undefined) return
  throw forbidden(
    definition,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  )
}

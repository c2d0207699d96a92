/** What a user may do: what is asked, and the decision. `rbac/` decides. */
import { ApiError, forbidden } from '../errors.ts'
import type { UserInfo } from './user.ts'

export interface ResourceAttributes {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly subresource?: string
  readonly namespace?: string
  readonly name?: string
}

export interface Attributes {
  readonly user: UserInfo
  /** get, list, watch, create, update, patch, delete, deletecollection; of a path that is no resource: the method in lower case. */
  readonly verb: string
  readonly resource?: ResourceAttributes
  /** Of a request that is not about a resource. */
  readonly path?: string
}

export interface Decision {
  readonly allowed: boolean
  /** Why; empty when nothing speaks for it, and for members of `system:masters`. */
  readonly reason: string
}

export type Authorizer = (attributes: Attributes) => Decision

/** The sentence of a 403. */
export function explainDenial(attributes: Attributes): string {
  const { user, verb, resource, path } = attributes
  const who = `User "${user.name}" cannot ${verb}`
  if (resource === undefined) return `${who} path "${path ?? '/'}"`
  const plural = resource.subresource === undefined ? resource.plural : `${resource.plural}/${resource.subresource}`
  const where = resource.namespace === undefined ? 'at the cluster scope' : `in the namespace "${resource.namespace}"`
  return `${who} resource "${plural}" in API group "${resource.group}" ${where}`
}

/** The 403 of what was not allowed. `reason` is what the decision, or another rule, says of it. */
export function denied(attributes: Attributes, reason: string): ApiError {
  const why = reason === '' ? explainDenial(attributes) : `${explainDenial(attributes)}: ${reason}`
  const { resource } = attributes
  if (resource === undefined) return new ApiError(403, 'Forbidden', `forbidden: ${why}`, { details: {} })
  return forbidden(resource, resource.name ?? '', why)
}

/** @throws ApiError 403 */
export function requireAllowed(authorize: Authorizer, attributes: Attributes): void {
  const { allowed, reason } = authorize(attributes)
  if (!allowed) throw denied(attributes, reason)
}

/** What a user may do. The seam: `Authorizer` may be replaced by one that evaluates RBAC. */
import { MASTERS_GROUP, type UserInfo } from './user.ts'

export interface Attributes {
  readonly user: UserInfo
  /** get, list, watch, create, update, patch, delete, deletecollection; of a path that is no resource: the method in lower case. */
  readonly verb: string
  readonly resource?: {
    readonly group: string
    readonly version: string
    readonly plural: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
  }
  /** Of a request that is not about a resource. */
  readonly path?: string
}

export interface Decision {
  readonly allowed: boolean
  /** Why; empty when nothing speaks for it. */
  readonly reason: string
}

export type Authorizer = (attributes: Attributes) => Decision

/** Anyone may ask whether the server is well and what it is. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz', 'version'])

export function isPublicPath(path: string): boolean {
  return PUBLIC_PATHS.has(path.split('/')[1] ?? '')
}

/** Group `system:masters` may do everything; others may look at health and version, and ask about themselves. */
export const authorizeMasters: Authorizer = ({ user, path, resource, verb }) => {
  if (user.groups.includes(MASTERS_GROUP)) return { allowed: true, reason: '' }
  if (path !== undefined && isPublicPath(path)) return { allowed: true, reason: '' }
  const aboutSelf = verb === 'create' && resource !== undefined && resource.plural.startsWith('selfsubject')
  return { allowed: aboutSelf && user.name !== 'system:anonymous', reason: '' }
}

/** The sentence of a 403. */
export function explainDenial(attributes: Attributes): string {
  const { user, verb, resource, path } = attributes
  const who = `User "${user.name}" cannot ${verb}`
  if (resource === undefined) return `${who} path "${path ?? '/'}"`
  const plural = resource.subresource === undefined ? resource.plural : `${resource.plural}/${resource.subresource}`
  const where = resource.namespace === undefined ? 'at the cluster scope' : `in the namespace "${resource.namespace}"`
  return `${who} resource "${plural}" in API group "${resource.group}" ${where}`
}

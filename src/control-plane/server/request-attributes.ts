/** What a request asks permission for `[k8s requestinfo]`. */
import type { Attributes, ResourceAttributes } from '../auth/authorize.ts'
import type { UserInfo } from '../auth/user.ts'
import { methodNotAllowed } from '../errors.ts'
import type { ResourcePath } from './request-path.ts'

/** @throws ApiError 405: no verb goes with the method */
export function verbOf(method: string, { name, watch }: ResourcePath, query: URLSearchParams): string {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (watch) return 'watch'
      // One object is watched as a list with a field selector; `watch` at its own path means nothing.
      if (name !== undefined) return 'get'
      return ['true', '1'].includes(query.get('watch') ?? '') ? 'watch' : 'list'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete'
    default:
      throw methodNotAllowed()
  }
}

export interface RequestFacts {
  readonly user: UserInfo
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Undefined: the path is not that of a resource. */
  readonly address: ResourcePath | undefined
}

/** @throws ApiError 405 */
export function attributesOf({ user, method, path, query, address }: RequestFacts): Attributes {
  if (address === undefined) return { user, verb: method.toLowerCase(), path }
  const verb = verbOf(method, address, query)
  return { user, verb, resource: resourceOf(address, verb, query) }
}

function resourceOf(address: ResourcePath, verb: string, query: URLSearchParams): ResourceAttributes {
  const { group, version, plural } = address
  // `pods/NAME/proxy/any/path` is the subresource proxy.
  const subresource = address.subresource.split('/', 1)[0] ?? ''
  const name = address.name ?? selectedName(verb, query)
  const namespace = address.namespace ?? (isNamespace(address) ? address.name : undefined)
  return {
    group,
    version,
    plural,
    ...(subresource === '' ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  }
}

/** A Namespace lies in itself: a Role in it may allow to read it. */
function isNamespace({ group, plural }: ResourcePath): boolean {
  return group === '' && plural === 'namespaces'
}

/** A list of the one object with a name is about that name, so that a rule with resourceNames may allow it. */
function selectedName(verb: string, query: URLSearchParams): string | undefined {
  if (verb !== 'list' && verb !== 'watch' && verb !== 'deletecollection') return undefined
  const selector = query.get('fieldSelector')
  if (selector === null) return undefined
  return /(?:^|,)metadata\.name==?([^=!,/%][^,/%]*)(?:,|$)/.exec(selector)?.[1]
}

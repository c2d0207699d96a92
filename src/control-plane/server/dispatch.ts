/** From an HTTP request to its answer: who, what, may they, do it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator } from '../auth/authenticate.ts'
import { type Attributes, type Authorizer, explainDenial, isPublicPath } from '../auth/authorize.ts'
import { ANONYMOUS, type UserInfo } from '../auth/user.ts'
import { ApiError, forbidden, methodNotAllowed, noSuchPath, unauthorized } from '../errors.ts'
import type { Answer, ApiRequest } from '../handlers/api-request.ts'
import { handlerFor } from '../handlers/handler-table.ts'
import { negotiate } from '../handlers/negotiate.ts'
import type { Core } from '../registry/core.ts'
import { CRD_RESOURCE } from '../registry/crd-conditions.ts'
import type { CrdLifecycle } from '../registry/crd-lifecycle.ts'
import { storageName } from '../registry/kind-traits.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { answerPath } from './non-resource.ts'
import { parseResourcePath, type ResourcePath } from './request-path.ts'
import { failureAnswer, sendAnswer, toApiError } from './respond.ts'

export interface DispatchDeps {
  readonly core: Core
  readonly crds: CrdLifecycle
  readonly authenticator: Authenticator
  readonly authorize: Authorizer
  /** Reported by `/version`. */
  readonly version: string
}

export type Dispatch = (http: IncomingMessage, response: ServerResponse) => Promise<void>

/** Never rejects: whatever fails becomes a Status. */
export function createDispatch(deps: DispatchDeps): Dispatch {
  return async (http, response) => {
    try {
      const answer = await answerTo(deps, http, response)
      if (answer !== undefined) await sendAnswer(http, response, answer)
    } catch (failure) {
      await sendFailure(deps, http, response, failure)
    }
  }
}

async function sendFailure(
  { core }: DispatchDeps,
  http: IncomingMessage,
  response: ServerResponse,
  failure: unknown,
): Promise<void> {
  const { error, unforeseen } = toApiError(failure)
  if (unforeseen && !http.destroyed) core.onError(failure, `${http.method} ${http.url}`)
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  // An oversized body is not read to its end: what follows on this connection would be taken for a request.
  if (error.code === 413 && !http.complete) response.setHeader('Connection', 'close')
  await sendAnswer(http, response, failureAnswer(error))
}

async function answerTo(
  deps: DispatchDeps,
  http: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  const { path, query } = splitUrl(http.url ?? '/')
  const user = deps.authenticator.ofRequest(http)
  if (user === undefined) throw unauthorized()
  const address = parseResourcePath(path)
  if (user === ANONYMOUS && !isPublicPath(path)) throw unauthorized()
  if (address === undefined) return await answerOther(deps, http, { path, query, user })
  return await answerResource(deps, { http, response, address, query, user })
}

function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const at = url.indexOf('?')
  if (at < 0) return { path: url, query: new URLSearchParams() }
  return { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) }
}

interface PathCall {
  readonly path: string
  readonly query: URLSearchParams
  readonly user: UserInfo
}

async function answerOther(deps: DispatchDeps, http: IncomingMessage, call: PathCall): Promise<Answer> {
  const method = http.method ?? 'GET'
  const attributes: Attributes = { user: call.user, verb: method.toLowerCase(), path: call.path }
  if (!deps.authorize(attributes).allowed) {
    throw new ApiError(403, 'Forbidden', `forbidden: ${explainDenial(attributes)}`)
  }
  const { core, version } = deps
  const { path, query } = call
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed()
  return await answerPath({ core, path: trimSlash(path), query, accept: http.headers.accept ?? '', version })
}

function trimSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

interface ResourceCall {
  readonly http: IncomingMessage
  readonly response: ServerResponse
  readonly address: ResourcePath
  readonly query: URLSearchParams
  readonly user: UserInfo
}

async function answerResource(deps: DispatchDeps, call: ResourceCall): Promise<Answer | undefined> {
  const { http, response, address, query, user } = call
  const { core } = deps
  const definition = core.registry.find(address.group, address.version, address.plural)
  const verb = verbOf(http.method ?? 'GET', address, query)
  requireAllowed(deps.authorize, call, verb)
  if (definition === undefined) throw noSuchPath()
  checkScope(definition, address, verb)
  const handler = handlerFor(definition, address.subresource, verb)
  if (storageName(definition) === CRD_RESOURCE) await deps.crds.load()
  const request: ApiRequest = {
    core,
    definition,
    ...(address.namespace === undefined ? {} : { namespace: address.namespace }),
    ...(address.name === undefined ? {} : { name: address.name }),
    ...(address.subresource === '' ? {} : { subresource: address.subresource }),
    query,
    user,
    http,
    response,
    authenticator: deps.authenticator,
    authorize: deps.authorize,
    media: negotiate(http.headers.accept, definition.verbs.includes('get')),
  }
  return await handler(request)
}

function verbOf(method: string, { name, watch }: ResourcePath, query: URLSearchParams): string {
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

function requireAllowed(authorize: Authorizer, { address, user }: ResourceCall, verb: string): void {
  const attributes: Attributes = {
    user,
    verb,
    resource: {
      group: address.group,
      version: address.version,
      plural: address.plural,
      ...(address.subresource === '' ? {} : { subresource: address.subresource }),
      ...(address.namespace === undefined ? {} : { namespace: address.namespace }),
      ...(address.name === undefined ? {} : { name: address.name }),
    },
  }
  if (authorize(attributes).allowed) return
  throw forbidden(address, address.name ?? '', explainDenial(attributes))
}

/** The path must fit the scope of the kind, and the verb the path. */
function checkScope(definition: ResourceDefinition, address: ResourcePath, verb: string): void {
  const { namespace, name, subresource } = address
  if (namespace !== undefined && !definition.namespaced) throw noSuchPath()
  if (definition.namespaced && namespace === undefined) checkAcrossNamespaces(definition, name, verb)
  const onObject = name !== undefined
  const wrong = onObject ? verb === 'create' && subresource === '' : verb === 'update' || verb === 'patch'
  if (wrong) throw methodNotAllowed()
}

/** Over all namespaces there are only lists and watches. */
function checkAcrossNamespaces(definition: ResourceDefinition, name: string | undefined, verb: string): void {
  if (name !== undefined) throw noSuchPath()
  // Reviews about a namespace are asked without one in the path.
  const storing = verb === 'create' && definition.verbs.includes('get')
  if (storing || verb === 'deletecollection') throw methodNotAllowed()
}

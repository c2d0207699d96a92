/** From an HTTP request to its answer: who, what, may they, do it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator } from '../auth/authenticate.ts'
import { type Attributes, requireAllowed } from '../auth/authorize.ts'
import { MASTERS_GROUP } from '../auth/user.ts'
import { methodNotAllowed, NoSuchPage, noSuchPath, unauthorized } from '../errors.ts'
import type { Answer, ApiRequest } from '../handlers/api-request.ts'
import { handlerFor } from '../handlers/handler-table.ts'
import { negotiate } from '../handlers/negotiate.ts'
import type { Rbac } from '../rbac/rbac.ts'
import type { Core } from '../registry/core.ts'
import { CRD_RESOURCE } from '../registry/crd-conditions.ts'
import type { CrdLifecycle } from '../registry/crd-lifecycle.ts'
import { storageName } from '../registry/kind-traits.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { TokenService } from '../tokens/token-service.ts'
import { answerPath, isServedRoot, nothingAt } from './non-resource.ts'
import { attributesOf } from './request-attributes.ts'
import { parseResourcePath, type ResourcePath } from './request-path.ts'
import { failureAnswer, sendAnswer, toApiError, warningHeader } from './respond.ts'

export interface DispatchDeps {
  readonly core: Core
  readonly crds: CrdLifecycle
  readonly authenticator: Authenticator
  readonly rbac: Rbac
  readonly tokens: TokenService
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
  const found = deps.authenticator.ofRequest(http)
  const user = found instanceof Promise ? await found : found
  if (user === undefined) throw unauthorized()
  if (path.startsWith('//')) throw new NoSuchPage()
  const address = parseResourcePath(path)
  const sent = attributesOf({ user, method: http.method ?? 'GET', path, query, address })
  const attributes = await admit(deps, http, sent, address)
  if (address === undefined) return await answerOther(deps, http, path, query)
  return await answerResource(deps, { http, response, address, query, attributes })
}

/** What is asked, by whom in the end. @throws ApiError 400, 403 */
async function admit(
  deps: DispatchDeps,
  http: IncomingMessage,
  sent: Attributes,
  address: ResourcePath | undefined,
): Promise<Attributes> {
  const impersonating = isImpersonating(http)
  if (isPublic(sent) && !impersonating) return sent
  const trusted = sent.user.groups.includes(MASTERS_GROUP)
  if (impersonating || !trusted || isAboutRules(address)) await deps.rbac.load()
  const attributes = impersonating ? await impersonate(deps, http, sent) : sent
  requireAllowed(deps.rbac.authorize, attributes)
  return attributes
}

/** Whether the server is well and what it is may be asked by anyone; probes of it must not wait for rules. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/'])

function isPublic({ verb, path }: Attributes): boolean {
  return verb === 'get' && path !== undefined && PUBLIC_PATHS.has(path)
}

/** Roles and bindings, and reviews of what others may do. */
function isAboutRules(address: ResourcePath | undefined): boolean {
  return address?.group === 'rbac.authorization.k8s.io' || address?.group === 'authorization.k8s.io'
}

function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const at = url.indexOf('?')
  if (at < 0) return { path: url, query: new URLSearchParams() }
  return { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) }
}

/** The request as the user whom its headers name. */
async function impersonate({ rbac }: DispatchDeps, http: IncomingMessage, sent: Attributes): Promise<Attributes> {
  const impersonation = await rbac.impersonation()
  return { ...sent, user: impersonation.actingAs(http.rawHeaders, sent) }
}

function isImpersonating(http: IncomingMessage): boolean {
  for (const name in http.headers) if (name.startsWith('impersonate-')) return true
  return false
}

async function answerOther(
  { core, version, tokens }: DispatchDeps,
  http: IncomingMessage,
  path: string,
  query: URLSearchParams,
): Promise<Answer> {
  if (!isServedRoot(path)) throw new NoSuchPage()
  if (http.method !== 'GET' && http.method !== 'HEAD') throw methodNotAllowed()
  const { accept = '', host = '' } = http.headers
  return await answerPath({ core, path: trimSlash(path), query, accept, version, tokens, url: `https://${host}` })
}

function trimSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

interface ResourceCall {
  readonly http: IncomingMessage
  readonly response: ServerResponse
  readonly address: ResourcePath
  readonly query: URLSearchParams
  readonly attributes: Attributes
}

async function answerResource(deps: DispatchDeps, call: ResourceCall): Promise<Answer | undefined> {
  const { http, response, address, query, attributes } = call
  const { core, rbac, authenticator, tokens } = deps
  const { user, verb } = attributes
  const definition = core.registry.find(address.group, address.version, address.plural)
  if (definition === undefined) throw nothingAt(core, address.group)
  if (http.method === 'HEAD') throw methodNotAllowed()
  checkScope(definition, address, verb)
  const handler = handlerFor(definition, { ...address, verb })
  if (storageName(definition) === CRD_RESOURCE) await deps.crds.load()
  const request: ApiRequest = {
    core,
    definition: await definitionFor(rbac, definition, attributes),
    ...(address.namespace === undefined ? {} : { namespace: address.namespace }),
    ...(address.name === undefined ? {} : { name: address.name }),
    ...(address.subresource === '' ? {} : { subresource: address.subresource }),
    query,
    user,
    http,
    response,
    authenticator,
    rbac,
    tokens,
    media: negotiate(http.headers.accept, definition.verbs.includes('get')),
  }
  const { deprecationWarning } = definition
  if (deprecationWarning !== undefined) response.setHeader('Warning', [warningHeader(deprecationWarning)])
  return await handler(request)
}

/** Some writes of those who may not do everything are checked further. */
async function definitionFor(
  rbac: Rbac,
  definition: ResourceDefinition,
  attributes: Attributes,
): Promise<ResourceDefinition> {
  const { user, verb } = attributes
  if (user.groups.includes(MASTERS_GROUP) || !GUARDED_VERBS.has(verb)) return definition
  const { guardWrites } = await import('../rbac/guard-writes.ts')
  return guardWrites(rbac, definition, attributes)
}

const GUARDED_VERBS: ReadonlySet<string> = new Set(['create', 'update', 'patch'])

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

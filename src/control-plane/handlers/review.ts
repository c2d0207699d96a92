/** Kinds that ask a question: who am I, may I, may they. Answered from the authenticator and authorizer in use. */
import { OWN_AUDIENCES } from '../auth/authenticate.ts'
import { describeUser, type UserInfo } from '../auth/user.ts'
import { badRequest } from '../errors.ts'
import { joinErrors } from '../rbac/evaluator.ts'
import type { PolicyRule } from '../rbac/policy-rule.ts'
import { apiVersionOf } from '../registry/api-version.ts'
import { formatTime } from '../registry/core.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { reviewAccess } from './access-review.ts'
import { type Answer, type ApiRequest, jsonAnswer } from './api-request.ts'
import { readObject } from './read-body.ts'

/** @throws ApiError 400, 422 */
export async function handleReview(request: ApiRequest): Promise<Answer> {
  const body = await readObject(request.http)
  if (!isObject(body)) throw badRequest('the body is not an object')
  const { group, version, kind } = request.definition
  checkKind(body, kind, apiVersionOf(group, version))
  return jsonAnswer(201, { kind, apiVersion: apiVersionOf(group, version), ...(await review(request, body)) })
}

function checkKind(body: JsonObject, kind: string, apiVersion: string): void {
  const given = { kind: body['kind'] ?? kind, apiVersion: body['apiVersion'] ?? apiVersion }
  if (given.kind === kind && given.apiVersion === apiVersion) return
  const version = String(given.apiVersion).split('/').at(-1)
  throw badRequest(`${given.kind} in version "${version}" cannot be handled as a ${kind}: unknown conversion`)
}

async function review(request: ApiRequest, body: JsonObject): Promise<JsonObject> {
  const { definition, user, core } = request
  const spec = isObject(body['spec']) ? body['spec'] : {}
  switch (definition.kind) {
    case 'SelfSubjectReview':
      return { metadata: { creationTimestamp: formatTime(core.now()) }, status: { userInfo: describeUser(user) } }
    case 'SelfSubjectRulesReview':
      return { metadata: {}, spec: {}, status: rulesOf(request, spec['namespace']) }
    case 'TokenReview':
      return { metadata: {}, spec, status: await reviewToken(request, spec) }
    default:
      return reviewAccess(request, body, spec)
  }
}

async function reviewToken({ authenticator }: ApiRequest, { token, audiences }: JsonObject): Promise<JsonObject> {
  if (typeof token !== 'string' || token === '') {
    throw badRequest('token is required for TokenReview in authentication')
  }
  const asked = Array.isArray(audiences) ? audiences.filter((audience) => typeof audience === 'string') : []
  const verdict = await authenticator.ofToken(token, asked.length === 0 ? OWN_AUDIENCES : asked)
  if (verdict.user === undefined) return { user: {}, error: verdict.error }
  return { authenticated: true, user: describeUser(verdict.user), audiences: verdict.audiences }
}

function rulesOf({ rbac, user }: ApiRequest, namespace: unknown): JsonObject {
  if (typeof namespace !== 'string' || namespace === '') throw badRequest('no namespace on request')
  const { rules, missing } = rbac.evaluator.rulesFor(user satisfies UserInfo, namespace)
  return {
    resourceRules: rules.filter(({ resources = [] }) => resources.length > 0).map(resourceRule),
    nonResourceRules: rules
      .filter(({ nonResourceURLs = [] }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    ...(missing.length === 0 ? {} : { evaluationError: joinErrors(missing) }),
  }
}

function resourceRule({ verbs, apiGroups = [], resources, resourceNames = [] }: PolicyRule): JsonObject {
  return { verbs, apiGroups, resources, ...(resourceNames.length === 0 ? {} : { resourceNames }) }
}

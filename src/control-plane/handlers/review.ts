/** Kinds that ask a question: who am I, may I, may they. Answered from the authenticator and authorizer in use. */
import type { Authenticator } from '../auth/authenticate.ts'
import type { Attributes, Authorizer } from '../auth/authorize.ts'
import { MASTERS_GROUP, type UserInfo } from '../auth/user.ts'
import { badRequest, invalid } from '../errors.ts'
import { apiVersionOf } from '../registry/api-version.ts'
import { invalidError } from '../schema/field-error.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { type Answer, type ApiRequest, jsonAnswer } from './api-request.ts'
import { readObject } from './read-body.ts'

export async function handleReview(request: ApiRequest): Promise<Answer> {
  const { definition, http } = request
  const body = await readObject(http)
  if (!isObject(body)) throw badRequest('the body is not an object')
  const spec = isObject(body['spec']) ? body['spec'] : {}
  const { group, version, kind } = definition
  return jsonAnswer(201, {
    kind,
    apiVersion: apiVersionOf(group, version),
    metadata: {},
    ...(kind === 'SelfSubjectReview' ? {} : { spec }),
    status: statusOf(request, spec),
  })
}

function statusOf({ definition, user, authorize, authenticator }: ApiRequest, spec: JsonObject): JsonObject {
  switch (definition.kind) {
    case 'SelfSubjectReview':
      return { userInfo: { username: user.name, groups: user.groups } }
    case 'SelfSubjectAccessReview':
      return decide(authorize, user, spec)
    case 'SelfSubjectRulesReview':
      return rulesOf(user)
    case 'TokenReview':
      return reviewToken(authenticator, textOf(spec['token']))
    default:
      return decide(authorize, subjectOf(spec), spec)
  }
}

function reviewToken(authenticator: Authenticator, token: string): JsonObject {
  const user = authenticator.ofToken(token)
  if (user === undefined) return { authenticated: false, user: {}, error: 'the token is not known to this server' }
  return { authenticated: true, user: { username: user.name, groups: user.groups } }
}

function subjectOf(spec: JsonObject): UserInfo {
  const { user, groups } = spec
  return {
    name: typeof user === 'string' ? user : '',
    groups: Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : [],
  }
}

function decide(authorize: Authorizer, user: UserInfo, spec: JsonObject): JsonObject {
  const { allowed, reason } = authorize(attributesOf(user, spec))
  return { allowed, ...(reason === '' ? {} : { reason }) }
}

function attributesOf(user: UserInfo, spec: JsonObject): Attributes {
  const { resourceAttributes: resource, nonResourceAttributes: other } = spec
  if (isObject(other)) return { user, verb: textOf(other['verb']), path: textOf(other['path']) }
  if (!isObject(resource)) {
    const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', [
      invalidError('spec.resourceAttributes', null, rule),
    ])
  }
  return {
    user,
    verb: textOf(resource['verb']),
    resource: {
      group: textOf(resource['group']),
      version: textOf(resource['version']),
      plural: textOf(resource['resource']),
      ...field('subresource', resource['subresource']),
      ...field('namespace', resource['namespace']),
      ...field('name', resource['name']),
    },
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function field<N extends string>(name: N, value: unknown): { [K in N]?: string } {
  const text = textOf(value)
  return (text === '' ? {} : { [name]: text }) as { [K in N]?: string }
}

function rulesOf({ groups }: UserInfo): JsonObject {
  if (!groups.includes(MASTERS_GROUP)) return { resourceRules: [], nonResourceRules: [], incomplete: false }
  return {
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    incomplete: false,
  }
}

/** SubjectAccessReview and its relatives `[k8s apis/authorization/validation]`. */
import type { Attributes } from '../auth/authorize.ts'
import type { UserInfo } from '../auth/user.ts'
import { badRequest, invalid } from '../errors.ts'
import { invalidError } from '../schema/field-error.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import type { ApiRequest } from './api-request.ts'

/** @throws ApiError 400, 422 */
export function reviewAccess(request: ApiRequest, body: JsonObject, spec: JsonObject): JsonObject {
  const { rbac, user, namespace, definition } = request
  const metadata = isObject(body['metadata']) ? body['metadata'] : {}
  if (namespace !== undefined && (metadata['namespace'] ?? namespace) !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  const self = definition.kind === 'SelfSubjectAccessReview'
  const errors = [
    ...checkSpec(spec, self),
    ...checkMetadata(metadata, namespace),
    ...(namespace === undefined ? [] : checkLocal(spec, namespace)),
  ]
  if (errors.length > 0) throw invalid({ group: definition.group, kind: '' }, '', errors)
  const { allowed, reason } = rbac.authorize(attributesOf(self ? user : subjectOf(spec), spec))
  return {
    metadata: namespace === undefined ? {} : { namespace },
    spec,
    status: { allowed, ...(reason === '' ? {} : { reason }) },
  }
}

function checkSpec(spec: JsonObject, self: boolean): FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: other } = spec
  const attributes = checkAttributes(resource, other)
  const named = textOf(spec['user']) !== '' || groupsOf(spec).length > 0
  if (self || named) return attributes
  return [...attributes, invalidError('spec.user', '', 'at least one of user or group must be specified')]
}

function checkAttributes(resource: unknown, other: unknown): FieldError[] {
  if (isObject(resource) && isObject(other)) {
    const shown = { Path: textOf(other['path']), Verb: textOf(other['verb']) }
    return [
      invalidError('spec.nonResourceAttributes', shown, 'cannot be specified in combination with resourceAttributes'),
    ]
  }
  if (isObject(resource) || isObject(other)) return []
  const rule = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [invalidError('spec.resourceAttributes', null, rule)]
}

function checkMetadata(metadata: JsonObject, namespace: string | undefined): FieldError[] {
  const { namespace: own, creationTimestamp, ...others } = metadata
  const rest = creationTimestamp === null || creationTimestamp === undefined ? others : { ...others, creationTimestamp }
  const shown = namespace === undefined && own !== undefined && own !== '' ? { ...rest, namespace: own } : rest
  if (Object.keys(shown).length === 0) return []
  const rule = namespace === undefined ? 'must be empty' : 'must be empty except for namespace'
  return [invalidError('metadata', metadata, rule)]
}

function checkLocal(spec: JsonObject, namespace: string): FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: other } = spec
  const asked = isObject(resource) ? textOf(resource['namespace']) : namespace
  const elsewhere =
    asked === namespace
      ? []
      : [invalidError('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace')]
  if (!isObject(other)) return elsewhere
  const shown = { Path: textOf(other['path']), Verb: textOf(other['verb']) }
  return [...elsewhere, invalidError('spec.nonResourceAttributes', shown, 'disallowed on this kind of request')]
}

function subjectOf(spec: JsonObject): UserInfo {
  return { name: textOf(spec['user']), groups: groupsOf(spec), uid: textOf(spec['uid']) }
}

function groupsOf({ groups }: JsonObject): string[] {
  return Array.isArray(groups) ? groups.filter((group) => typeof group === 'string') : []
}

function attributesOf(user: UserInfo, spec: JsonObject): Attributes {
  const { resourceAttributes: resource, nonResourceAttributes: other } = spec
  if (!isObject(resource)) {
    const { verb, path } = isObject(other) ? other : {}
    return { user, verb: textOf(verb), path: textOf(path) }
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

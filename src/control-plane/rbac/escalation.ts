/**
 * Nobody may grant what they do not hold: checked when a role or binding is written, unless the writer may `escalate`
 * roles or `bind` this one `[k8s registry/rbac policybased storage]`.
 */
import type { Attributes } from '../auth/authorize.ts'
import type { UserInfo } from '../auth/user.ts'
import { forbidden, notFound } from '../errors.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { equalJson, isObject } from '../schema/json.ts'
import { readRoleRef } from './binding-index.ts'
import { describeGrains, list, uncovered } from './covers.ts'
import { joinErrors } from './evaluator.ts'
import { type PolicyRule, readRules } from './policy-rule.ts'
import type { Rbac } from './rbac.ts'

const GROUP = 'rbac.authorization.k8s.io'

export interface RoleWriter {
  readonly rbac: Rbac
  /** Of the request: its resource is the role or binding. */
  readonly attributes: Attributes
}

/** @throws ApiError 403; 404: the role that is bound does not exist */
export function checkEscalation(
  writer: RoleWriter,
  definition: ResourceDefinition,
  object: StoredObject,
  old?: StoredObject,
): void {
  if (old !== undefined && onlyCollectionFieldsChanged(object, old)) return
  if (definition.plural === 'roles' || definition.plural === 'clusterroles') {
    checkRole(writer, definition, object, old)
  } else {
    checkBinding(writer, definition, object)
  }
}

/** What the garbage collector writes grants nothing. */
function onlyCollectionFieldsChanged(object: StoredObject, old: StoredObject): boolean {
  return equalJson(withoutCollectionFields(object), withoutCollectionFields(old))
}

function withoutCollectionFields(object: StoredObject): unknown {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managed, ...metadata } = object.metadata
  return { ...object, metadata }
}

function checkRole(
  writer: RoleWriter,
  definition: ResourceDefinition,
  object: StoredObject,
  old: StoredObject | undefined,
): void {
  const { rbac, attributes } = writer
  if (rbac.authorize({ ...attributes, verb: 'escalate' }).allowed) return
  requireHeld(writer, definition, object.metadata.name, readRules(object))
  if (!aggregates(object) && (old === undefined || !aggregates(old))) return
  if (missingOf(writer, EVERYTHING).length > 0) {
    const why = 'must have cluster-admin privileges to use the aggregationRule'
    throw forbidden(definition, object.metadata.name, why)
  }
}

/** An aggregated role may come to hold anything. */
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]

function aggregates(role: StoredObject): boolean {
  const rule = role['aggregationRule']
  const selectors = isObject(rule) ? rule['clusterRoleSelectors'] : undefined
  return Array.isArray(selectors) && selectors.length > 0
}

function checkBinding(writer: RoleWriter, definition: ResourceDefinition, object: StoredObject): void {
  const { rbac, attributes } = writer
  const ref = readRoleRef(object['roleRef'])
  const { user, resource } = attributes
  const namespace = resource?.namespace
  const bind: Attributes = {
    user,
    verb: 'bind',
    resource: {
      group: ref.apiGroup === '' ? GROUP : ref.apiGroup,
      version: '*',
      plural: ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles',
      name: ref.name,
      ...(namespace === undefined ? {} : { namespace }),
    },
  }
  if (rbac.authorize(bind).allowed) return
  const rules = rbac.evaluator.rulesOfRole(ref, namespace ?? '')
  if (rules === undefined) throw notFound(definition, ref.name)
  requireHeld(writer, definition, object.metadata.name, rules)
}

function requireHeld(
  writer: RoleWriter,
  definition: ResourceDefinition,
  name: string,
  wanted: readonly PolicyRule[],
): void {
  const grains = missingOf(writer, wanted)
  if (grains.length === 0) return
  const { user, resource } = writer.attributes
  const { missing } = writer.rbac.evaluator.rulesFor(user, resource?.namespace)
  const unresolved = missing.length === 0 ? '' : `; resolution errors: [${joinErrors(missing)}]`
  throw forbidden(definition, name, `${escalationOf(user)}:\n${describeGrains(grains).join('\n')}${unresolved}`)
}

function escalationOf({ name, groups }: UserInfo): string {
  return `user ${JSON.stringify(name)} (groups=${list(groups)}) is attempting to grant RBAC permissions not currently held`
}

function missingOf({ rbac, attributes }: RoleWriter, wanted: readonly PolicyRule[]): ReturnType<typeof uncovered> {
  const { rules } = rbac.evaluator.rulesFor(attributes.user, attributes.resource?.namespace)
  return uncovered(rules, wanted)
}

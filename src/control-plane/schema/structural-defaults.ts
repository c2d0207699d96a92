/** Defaults of a structural schema must be valid and hold nothing that pruning would drop. */

import { checkEmbeddedResources } from './embedded-resource.ts'
import { childPath, invalidError, keyPath } from './field-error.ts'
import { cloneJson, own } from './json.ts'
import { prunePart, pruneUnknown } from './prune.ts'
import { noReferences } from './resolve-schema.ts'
import type { FieldError, Schema } from './schema.ts'
import { childNode, isTrue, namedNodes, type SchemaNode } from './schema-node.ts'
import { validateNode } from './validate.ts'
import { NO_FIELD } from './validate-scalar.ts'

/** Only called with a structural schema, so `additionalProperties` hold no defaults and need no visit. */
export function checkDefaults(node: SchemaNode, path: string): FieldError[] {
  const items = childNode(node, 'items')
  return [
    ...checkDefault(node, childPath(path, 'default')),
    ...(items === undefined ? [] : checkDefaults(items, childPath(path, 'items'))),
    ...namedNodes(node).flatMap(([name, child]) => checkDefaults(child, keyPath(childPath(path, 'properties'), name))),
  ]
}

function checkDefault(node: SchemaNode, path: string): FieldError[] {
  const value = own(node, 'default')
  if (value === undefined || value === null) return []
  const schema = node as Schema
  const prune = isTrue(node, 'x-kubernetes-embedded-resource') ? pruneUnknown : prunePart
  const removed = prune(schema, cloneJson(value), noReferences)
  return [
    ...(removed.length > 0 ? [invalidError(path, value, 'must not have unknown fields')] : []),
    ...findings(schema, value, path),
  ]
}

function findings(schema: Schema, value: unknown, path: string): FieldError[] {
  const embedded = checkEmbeddedResources(schema, value, noReferences, path)
  if (embedded.length > 0) return embedded
  const { errors } = validateNode(schema, value, { resolve: noReferences, depth: 0 }, '')
  return errors.map((error) => ({
    ...error,
    field: error.field === NO_FIELD ? path : childPath(path, error.field),
  }))
}

/**
 * What makes a schema structural: a type at every level outside of junctors, none of the structure-giving keywords
 * inside them, and no reasoning about metadata beyond name and generateName. [doc: Specifying a structural schema]
 */
import { childPath, forbiddenError, indexPath, invalidError, keyPath, requiredError } from './field-error.ts'
import { equalJson, own } from './json.ts'
import type { FieldError } from './schema.ts'
import { childNode, childNodes, isSet, isTrue, JUNCTORS, namedNodes, type SchemaNode, textOf } from './schema-node.ts'
import { checkNested, checkPattern } from './structural-nested.ts'

const PRESERVE = 'x-kubernetes-preserve-unknown-fields'
const EMBEDDED = 'x-kubernetes-embedded-resource'
const INT_OR_STRING = 'x-kubernetes-int-or-string'

type Level = 'root' | 'item' | 'field'

interface At {
  readonly path: string
  readonly level: Level
}

export function checkInvariants(node: SchemaNode, path: string): FieldError[] {
  return checkNode(node, { path, level: 'root' })
}

function checkNode(node: SchemaNode, at: At): FieldError[] {
  return [
    ...checkItems(node, at),
    ...namedNodes(node).flatMap(([name, child]) =>
      checkNode(child, { path: keyPath(childPath(at.path, 'properties'), name), level: 'field' }),
    ),
    ...checkAdditional(node, at),
    ...checkExtensions(node, at),
    ...checkJunctors(node, at),
    ...checkPattern(node, at.path),
    ...checkNodeType(node, at),
    ...checkResource(node, at),
  ]
}

function checkItems(node: SchemaNode, { path }: At): FieldError[] {
  const itemsPath = childPath(path, 'items')
  const items = childNode(node, 'items')
  if (items !== undefined) return checkNode(items, { path: itemsPath, level: 'item' })
  return textOf(node, 'type') === 'array' ? [requiredError(itemsPath, 'must be specified')] : []
}

function checkAdditional(node: SchemaNode, at: At): FieldError[] {
  const rest = own(node, 'additionalProperties')
  if (rest === undefined || rest === null) return []
  const path = childPath(at.path, 'additionalProperties')
  const child = childNode(node, 'additionalProperties')
  return [
    ...(at.level === 'root' ? [forbiddenError(path, 'must not be used at the root')] : []),
    ...(isTrue(node, EMBEDDED) ? [forbiddenError(path, `must not be used if ${EMBEDDED} is set`)] : []),
    ...(child === undefined ? [] : checkNode(child, { path, level: 'field' })),
  ]
}

function checkExtensions(node: SchemaNode, { path }: At): FieldError[] {
  if (!isTrue(node, INT_OR_STRING)) return []
  return [PRESERVE, EMBEDDED]
    .filter((extension) => isTrue(node, extension))
    .map((extension) => invalidError(childPath(path, extension), true, `must be false if ${INT_OR_STRING} is true`))
}

const INTEGER_OR_STRING = [{ type: 'integer' }, { type: 'string' }]

/** `anyOf: [{type: integer}, {type: string}]` is allowed although it has types: older generators write it. */
function isIntegerOrString(node: SchemaNode | undefined): boolean {
  return node !== undefined && equalJson(own(node, 'anyOf'), INTEGER_OR_STRING)
}

function checkJunctors(node: SchemaNode, { path }: At): FieldError[] {
  const not = childNode(node, 'not')
  const branches = JUNCTORS.flatMap((junctor) =>
    childNodes(node, junctor).map((branch, index) => ({ branch, junctor, index })),
  )
  return [
    ...branches.flatMap(({ branch, junctor, index }) => {
      if (junctor === 'anyOf' && isIntegerOrString(node)) return []
      const skipAnyOf = junctor === 'allOf' && index === 0 && isIntegerOrString(branch)
      return checkNested(branch, indexPath(childPath(path, junctor), index), skipAnyOf)
    }),
    ...(not === undefined ? [] : checkNested(not, childPath(path, 'not'))),
  ]
}

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

function checkNodeType(node: SchemaNode, at: At): FieldError[] {
  const type = textOf(node, 'type')
  const path = childPath(at.path, 'type')
  const errors: FieldError[] = []
  if (isTrue(node, EMBEDDED)) {
    const detail = `must be object if ${EMBEDDED} is true`
    if (type === '') errors.push(requiredError(path, detail))
    else if (type !== 'object') errors.push(invalidError(path, type, detail))
  } else if (type === '' && !isTrue(node, INT_OR_STRING) && !isTrue(node, PRESERVE)) {
    errors.push(requiredError(path, MISSING_TYPE[at.level]))
  }
  if (at.level === 'root' && type !== '' && type !== 'object') {
    errors.push(invalidError(path, type, 'must be object at the root'))
  }
  return errors
}

/** The root and embedded resources: their kind, apiVersion and metadata. */
function checkResource(node: SchemaNode, at: At): FieldError[] {
  const isEmbedded = isTrue(node, EMBEDDED)
  const properties = namedNodes(node)
  const errors: FieldError[] = []
  for (const [name, child] of properties) {
    const path = keyPath(childPath(at.path, 'properties'), name)
    if (at.level === 'root' || isEmbedded) errors.push(...checkResourceField(name, child, path))
    if (name === 'metadata' && at.level === 'root') errors.push(...checkRootMetadata(child, path))
  }
  if (isEmbedded && !isTrue(node, PRESERVE) && properties.length === 0) {
    const detail = `must not be empty if ${EMBEDDED} is true without ${PRESERVE}`
    errors.push(requiredError(childPath(at.path, 'properties'), detail))
  }
  return errors
}

const RESOURCE_TYPES: Readonly<Record<string, string>> = { kind: 'string', apiVersion: 'string', metadata: 'object' }

function checkResourceField(name: string, node: SchemaNode, path: string): FieldError[] {
  const wanted = own(RESOURCE_TYPES, name)
  const type = textOf(node, 'type')
  if (wanted === undefined || type === wanted) return []
  return [invalidError(childPath(path, 'type'), type, `must be ${wanted}`)]
}

function checkRootMetadata(node: SchemaNode, path: string): FieldError[] {
  // A default there is reported with the other misplaced defaults.
  const others = Object.keys(node).filter((key) => isSet(node[key]) && key !== 'type' && key !== 'default')
  const isRestriction = namedNodes(node).every(([name]) => name === 'name' || name === 'generateName')
  if (others.every((key) => key === 'properties' && isRestriction)) return []
  const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
  return [forbiddenError(path, detail)]
}

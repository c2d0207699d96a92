/** Keywords of a CRD schema that are unsupported, misplaced, or wrong together with others. */
import {
  childPath,
  forbiddenError,
  indexPath,
  invalidError,
  keyPath,
  notSupportedError,
  requiredError,
} from './field-error.ts'
import { own } from './json.ts'
import type { FieldError } from './schema.ts'
import { childNode, childNodes, isSet, isTrue, namedNodes, type SchemaNode, subschemas, textOf } from './schema-node.ts'
import { checkListKeywords } from './structural-lists.ts'
import { checkRules } from './structural-rules.ts'

/** What no structural schema can express at all: then its structure is not judged, these keywords are reported. */
export function hasForeignKeywords(node: SchemaNode): boolean {
  const isForeign =
    [...UNSUPPORTED, '$schema'].some((keyword) => isSet(own(node, keyword))) ||
    own(node, PRESERVE) === false ||
    Array.isArray(own(node, 'items'))
  return isForeign || subschemas(node).some(hasForeignKeywords)
}

const PRESERVE = 'x-kubernetes-preserve-unknown-fields'

interface At {
  readonly path: string
  readonly isRoot: boolean
  /** Set where no default may be: says why. */
  readonly noDefaults?: string
  /** Below apiVersion, kind or metadata of a resource. */
  readonly inResourceMeta: boolean
}

export function checkKeywords(node: SchemaNode, path: string): FieldError[] {
  return checkNode(node, { path, isRoot: true, inResourceMeta: false })
}

function checkNode(node: SchemaNode, at: At): FieldError[] {
  return [
    ...checkSupport(node, at),
    ...checkAdditional(node, at),
    ...checkProperties(node, at),
    ...checkBranches(node, at),
    ...checkPreserve(node, at),
    ...checkMapType(node, at),
    ...checkListKeywords(node, at.path),
    ...checkRules(node, at.path),
  ]
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref']

function checkSupport(node: SchemaNode, at: At): FieldError[] {
  const type = textOf(node, 'type')
  const pathOf = (keyword: string): string => childPath(at.path, keyword)
  const value = own(node, 'default')
  const errors: FieldError[] = []
  if (type !== '' && !TYPES.includes(type)) errors.push(notSupportedError(pathOf('type'), type, TYPES))
  if (value !== undefined && value !== null && at.noDefaults !== undefined) {
    errors.push(forbiddenError(pathOf('default'), `must not be set ${at.noDefaults}`))
  }
  for (const keyword of UNSUPPORTED) {
    if (isSet(own(node, keyword))) errors.push(forbiddenError(pathOf(keyword), `${keyword} is not supported`))
  }
  if (type === 'null')
    errors.push(forbiddenError(pathOf('type'), 'type cannot be set to null, use nullable as an alternative'))
  return [...errors, ...checkMisplaced(node, at)]
}

function checkMisplaced(node: SchemaNode, at: At): FieldError[] {
  const errors: FieldError[] = []
  if (Array.isArray(own(node, 'items'))) {
    errors.push(forbiddenError(childPath(at.path, 'items'), 'items must be a schema object and not an array'))
  }
  if (at.inResourceMeta && isTrue(node, 'x-kubernetes-embedded-resource')) {
    const path = childPath(at.path, 'x-kubernetes-embedded-resource')
    errors.push(forbiddenError(path, 'must not be used inside of resource meta'))
  }
  if (isTrue(node, 'uniqueItems')) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    errors.push(forbiddenError(childPath(at.path, 'uniqueItems'), detail))
  }
  return errors
}

function checkAdditional(node: SchemaNode, at: At): FieldError[] {
  const rest = own(node, 'additionalProperties')
  if (rest === undefined || rest === null) return []
  const path = childPath(at.path, 'additionalProperties')
  const child = childNode(node, 'additionalProperties')
  const noDefaults = at.inResourceMeta ? 'inside additionalProperties applying to object metadata' : at.noDefaults
  return [
    ...(namedNodes(node).length > 0 && rest !== true
      ? [forbiddenError(path, 'additionalProperties and properties are mutual exclusive')]
      : []),
    ...(child === undefined ? [] : checkNode(child, inner({ ...at, path }, noDefaults))),
  ]
}

const RESOURCE_FIELDS = ['metadata', 'kind', 'apiVersion']

function checkProperties(node: SchemaNode, at: At): FieldError[] {
  const isResource = at.isRoot || isTrue(node, 'x-kubernetes-embedded-resource')
  return namedNodes(node).flatMap(([name, child]) => {
    const inMeta = isResource && RESOURCE_FIELDS.includes(name)
    const noDefaults = inMeta && at.isRoot ? `in top-level ${name}` : at.noDefaults
    const path = keyPath(childPath(at.path, 'properties'), name)
    return checkNode(child, inner({ ...at, path, inResourceMeta: at.inResourceMeta || inMeta }, noDefaults))
  })
}

function inner(at: At, noDefaults: string | undefined): At {
  const { path, inResourceMeta } = at
  return { path, isRoot: false, inResourceMeta, ...(noDefaults === undefined ? {} : { noDefaults }) }
}

function checkBranches(node: SchemaNode, at: At): FieldError[] {
  const single = ['not', 'items'].flatMap((keyword): Array<[string, SchemaNode]> => {
    const child = childNode(node, keyword)
    return child === undefined ? [] : [[childPath(at.path, keyword), child]]
  })
  const listed = ['allOf', 'oneOf', 'anyOf'].flatMap((keyword) =>
    childNodes(node, keyword).map((child, index): [string, SchemaNode] => [
      indexPath(childPath(at.path, keyword), index),
      child,
    ]),
  )
  return [...single, ...listed].flatMap(([path, child]) => checkNode(child, inner({ ...at, path }, at.noDefaults)))
}

function checkPreserve(node: SchemaNode, { path }: At): FieldError[] {
  if (own(node, PRESERVE) !== false) return []
  return [invalidError(childPath(path, PRESERVE), false, 'must be true or undefined')]
}

function checkMapType(node: SchemaNode, { path }: At): FieldError[] {
  const keyword = 'x-kubernetes-map-type'
  const mapType = own(node, keyword)
  if (mapType === undefined || mapType === null) return []
  const type = textOf(node, 'type')
  const detail = `must be object if ${keyword} is specified`
  const errors: FieldError[] = []
  if (type === '') errors.push(requiredError(childPath(path, 'type'), detail))
  else if (type !== 'object') errors.push(invalidError(childPath(path, 'type'), type, detail))
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupportedError(childPath(path, keyword), mapType, ['atomic', 'granular']))
  }
  return errors
}

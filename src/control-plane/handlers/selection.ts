/** Label and field selectors of a list or watch as one test of an object. */
import { badRequest } from '../errors.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { type FieldRequirement, parseFieldSelector } from '../selectors/field-selector.ts'
import { parseLabelSelector } from '../selectors/label-selector.ts'
import { SelectorError } from '../selectors/selector-error.ts'

export type Matches = (object: StoredObject) => boolean

/** Undefined: everything is selected. @throws ApiError 400 */
export function selectionOf(definition: ResourceDefinition, query: URLSearchParams): Matches | undefined {
  const labelText = query.get('labelSelector') ?? ''
  const fieldText = query.get('fieldSelector') ?? ''
  const labels = labelText === '' ? undefined : parsed(() => parseLabelSelector(labelText))
  const fields = fieldText === '' ? [] : parsed(() => parseFieldSelector(fieldText))
  for (const { path } of fields) requireSelectable(definition, path)
  if (labels === undefined && fields.length === 0) return undefined
  return (object) =>
    (labels === undefined || labels.matches(object.metadata.labels ?? {})) &&
    fields.every((requirement) => meets(definition, object, requirement))
}

/** Evaluated anew for each request: an object's name in a field selector narrows a watch like `get -w NAME`. */
function parsed<T>(parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    throw error instanceof SelectorError ? badRequest(error.message, error) : error
  }
}

function requireSelectable(definition: ResourceDefinition, path: string): void {
  const metadata = path === 'metadata.name' || (path === 'metadata.namespace' && definition.namespaced)
  if (metadata || definition.selectableFields.includes(path)) return
  const plain = definition.origin === 'builtin' && definition.selectableFields.length === 0
  const scope = definition.namespaced ? '"metadata.name", "metadata.namespace"' : '"metadata.name"'
  throw badRequest(
    plain ? `"${path}" is not a known field selector: only ${scope}` : `field label not supported: ${path}`,
  )
}

function meets(
  { selectableValue }: ResourceDefinition,
  object: StoredObject,
  { path, equals, value }: FieldRequirement,
): boolean {
  const read = selectableValue?.(path)
  const found = read === undefined ? fieldText(object, path) : read(object)
  return (found === value) === equals
}

/** The field as text; an absent one is empty. */
export function fieldText(object: StoredObject, path: string): string {
  const value = valueAt(object, path)
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return ''
}

function valueAt(object: StoredObject, path: string): unknown {
  let value: unknown = object
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

/** The `scale` subresource: replicas of any kind as `autoscaling/v1 Scale`. */
import { badRequest, conflict, internalError, invalid, MODIFIED, noSuchPath } from '../errors.ts'
import { FieldFindings } from '../registry/field-findings.ts'
import type { FieldOwners } from '../registry/field-owners.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { updateObject } from '../registry/update-object.ts'
import { viewOf } from '../registry/view.ts'
import { invalidError } from '../schema/field-error.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { Entry } from '../store/entry.ts'
import { type Answer, type ApiRequest, isDryRun, jsonAnswer } from './api-request.ts'
import { currentEntry } from './current-entry.ts'
import { encodeAnswer, tableText } from './encode.ts'
import { ownersOf } from './field-manager.ts'
import { readObject } from './read-body.ts'
import { scaleDefinition } from './scale-definition.ts'

type ScalePaths = NonNullable<ResourceDefinition['subresources']['scale']>

export function pathsOf(definition: ResourceDefinition): ScalePaths {
  const { scale } = definition.subresources
  if (scale === undefined) throw noSuchPath()
  return scale
}

export async function getScale(request: ApiRequest): Promise<Answer> {
  const { definition, media } = request
  const scale = scaleOf(definition, viewOf(definition, currentEntry(request)).object)
  if (media.form !== 'table') return jsonAnswer(200, scale)
  const entry = new Entry(currentEntry(request).key, 0, JSON.stringify(scale))
  return encodeAnswer(media, 200, await tableText({ ...request, definition: scaleDefinition(definition) }, [entry], {}))
}

export async function updateScale(request: ApiRequest): Promise<Answer> {
  const body = await readObject(request.http)
  return writeScale(request, await ownersOf(request, 'UpdateOptions'), () => body)
}

export function writeScale(request: ApiRequest, owners: FieldOwners, change: (scale: JsonObject) => unknown): Answer {
  const { definition } = request
  const current = currentEntry(request)
  const scale = change(scaleOf(definition, scalable(definition, current)))
  return writeReplicas(request, { current, owners, scale })
}

function scalable(definition: ResourceDefinition, current: Entry): StoredObject {
  const object = viewOf(definition, current).copy()
  const { specReplicasPath } = pathsOf(definition)
  if (getAt(object, specReplicasPath) === undefined) setAt(object, specReplicasPath, 0)
  return object
}

interface ScaleWrite {
  readonly current: Entry
  readonly owners: FieldOwners
  /** What the client wants, a `Scale`. */
  readonly scale: unknown
}

/** @throws ApiError 400, 409, 422 */
export function writeReplicas(request: ApiRequest, { current, owners, scale }: ScaleWrite): Answer {
  const { core, definition, namespace, query } = request
  const object = scalable(definition, current)
  setAt(object, pathsOf(definition).specReplicasPath, wantedReplicas(definition, object, scale))
  const written = updateObject(
    core,
    {
      definition,
      namespace,
      findings: new FieldFindings('Ignore'),
      dryRun: isDryRun(query, 'UpdateOptions'),
      owners,
      current,
      target: 'object',
      isPatch: true,
    },
    object,
  )
  return jsonAnswer(200, scaleOf(definition, written.object))
}

function wantedReplicas(definition: ResourceDefinition, object: StoredObject, scale: unknown): number {
  if (!isObject(scale)) throw badRequest('the body is not a Scale')
  const { name, resourceVersion } = object.metadata
  const meta = isObject(scale['metadata']) ? scale['metadata'] : {}
  const stated = meta['resourceVersion']
  if (typeof stated === 'string' && stated !== '' && stated !== resourceVersion)
    throw conflict(definition, name, MODIFIED)
  const spec = isObject(scale['spec']) ? scale['spec'] : {}
  const replicas = spec['replicas'] ?? 0
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest('spec.replicas must be a whole number')
  if (replicas < 0) {
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
      invalidError('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  }
  return replicas
}

function scaleOf(definition: ResourceDefinition, object: StoredObject): JsonObject {
  const paths = pathsOf(definition)
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const replicas = getAt(object, paths.specReplicasPath)
  if (replicas === undefined && definition.origin === 'custom') {
    throw internalError(`the spec replicas field "${paths.specReplicasPath}" does not exist`)
  }
  const observed = getAt(object, paths.statusReplicasPath)
  const selector = selectorText(definition, object, paths)
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    // None are not written.
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: {
      replicas: typeof observed === 'number' ? observed : 0,
      ...(selector === '' ? {} : { selector }),
    },
  }
}

/** Built-in kinds hold their selector in the spec; custom kinds name a text field. */
function selectorText(definition: ResourceDefinition, object: StoredObject, paths: ScalePaths): string {
  if (definition.origin === 'custom') {
    const text = paths.labelSelectorPath === undefined ? undefined : getAt(object, paths.labelSelectorPath)
    return typeof text === 'string' ? text : ''
  }
  const selector = getAt(object, '.spec.selector')
  if (!isObject(selector)) return ''
  const labels = isObject(selector['matchLabels']) ? selector['matchLabels'] : selector
  const equals = Object.entries(labels).filter(([, value]) => typeof value === 'string')
  const terms = equals.map(([key, value]) => `${key}=${String(value)}`)
  const expressions = Array.isArray(selector['matchExpressions']) ? selector['matchExpressions'] : []
  return [...terms.sort(), ...expressions.map(expressionText)].join(',')
}

function expressionText(expression: unknown): string {
  if (!isObject(expression)) return ''
  const { key, operator, values } = expression
  const list = Array.isArray(values) ? [...values].sort().join(',') : ''
  switch (operator) {
    case 'In':
      return `${String(key)} in (${list})`
    case 'NotIn':
      return `${String(key)} notin (${list})`
    case 'DoesNotExist':
      return `!${String(key)}`
    default:
      return String(key)
  }
}

/** `.spec.replicas` */
function namesOf(path: string): string[] {
  return path.split('.').filter((name) => name !== '')
}

export function getAt(object: unknown, path: string): unknown {
  let value = object
  for (const name of namesOf(path)) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

export function setAt(object: JsonObject, path: string, value: unknown): void {
  const names = namesOf(path)
  const last = names.pop()
  if (last === undefined) return
  let target: JsonObject = object
  for (const name of names) {
    const inner = target[name]
    if (isObject(inner)) target = inner
    else {
      const made: JsonObject = {}
      target[name] = made
      target = made
    }
  }
  target[last] = value
}

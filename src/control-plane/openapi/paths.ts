/** The operations of one group version. kubectl reads from them which patch types and query parameters a kind takes. */
import { resourcesOf, type Subresource } from '../discovery/groups.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Schema } from '../schema/schema.ts'
import { DELETE_OPTIONS, definitionName, PATCH, refTo, STATUS } from './components.ts'

type Json = Readonly<Record<string, unknown>>

/** One resource or subresource at one path. */
interface Endpoint {
  readonly path: string
  readonly definition: ResourceDefinition
  /** The kind of its bodies. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string }
  readonly verbs: readonly string[]
  readonly scope: 'collection' | 'all-namespaces' | 'item'
  readonly subresource?: string
}

export function pathsOf(definitions: readonly ResourceDefinition[]): Json {
  const endpoints = definitions.flatMap(endpointsOf)
  return Object.fromEntries(endpoints.map((endpoint) => [endpoint.path, pathItem(endpoint)]))
}

function endpointsOf(definition: ResourceDefinition): Endpoint[] {
  const { group, version, kind, plural, namespaced, verbs } = definition
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`
  const item = `${collection}/{name}`
  const own = { definition, kind: { group, version, kind }, verbs } as const
  return [
    { ...own, path: collection, scope: 'collection' },
    ...(namespaced && verbs.includes('list')
      ? [{ ...own, path: `${root}/${plural}`, scope: 'all-namespaces' } as const]
      : []),
    ...(verbs.includes('get') ? [{ ...own, path: item, scope: 'item' } as const] : []),
    ...resourcesOf(definition).map((subresource) => subresourceEndpoint(definition, item, subresource)),
  ]
}

function subresourceEndpoint(definition: ResourceDefinition, item: string, subresource: Subresource): Endpoint {
  const { name, group, version, kind, verbs } = subresource
  return {
    path: `${item}/${name}`,
    definition,
    kind: { group, version, kind },
    verbs,
    scope: 'item',
    subresource: name,
  }
}

/** Verb -> HTTP method and action, by scope. A subresource is created by POST to its item. */
const OPERATIONS: Readonly<
  Record<Endpoint['scope'], ReadonlyArray<readonly [verb: string, method: string, action: string]>>
> = {
  collection: [
    ['list', 'get', 'list'],
    ['create', 'post', 'post'],
    ['deletecollection', 'delete', 'deletecollection'],
  ],
  'all-namespaces': [['list', 'get', 'list']],
  item: [
    ['get', 'get', 'get'],
    ['create', 'post', 'post'],
    ['update', 'put', 'put'],
    ['patch', 'patch', 'patch'],
    ['delete', 'delete', 'delete'],
  ],
}

function pathItem(endpoint: Endpoint): Json {
  const isMain = endpoint.subresource === undefined && endpoint.scope === 'item'
  const operations = OPERATIONS[endpoint.scope].filter(
    ([verb]) => endpoint.verbs.includes(verb) && !(isMain && verb === 'create'),
  )
  return {
    ...Object.fromEntries(operations.map(([, method, action]) => [method, operation(endpoint, action)])),
    parameters: [...pathParameters(endpoint.path), query('pretty', TEXT)],
  }
}

const TEXT: Schema = { type: 'string', uniqueItems: true }
const INTEGER: Schema = { type: 'integer', uniqueItems: true }
const BOOLEAN: Schema = { type: 'boolean', uniqueItems: true }

const query = (name: string, schema: Schema): Json => ({ name, in: 'query', schema })

function pathParameters(path: string): Json[] {
  return ['name', 'namespace']
    .filter((name) => path.includes(`{${name}}`))
    .map((name) => ({ name, in: 'path', required: true, schema: TEXT }))
}

const LIST_PARAMETERS = [
  query('allowWatchBookmarks', BOOLEAN),
  query('continue', TEXT),
  query('fieldSelector', TEXT),
  query('labelSelector', TEXT),
  query('limit', INTEGER),
  query('resourceVersion', TEXT),
  query('resourceVersionMatch', TEXT),
  query('sendInitialEvents', BOOLEAN),
  query('timeoutSeconds', INTEGER),
  query('watch', BOOLEAN),
]
const WRITE_PARAMETERS = [query('dryRun', TEXT), query('fieldManager', TEXT), query('fieldValidation', TEXT)]
const DELETE_PARAMETERS = [
  query('dryRun', TEXT),
  query('gracePeriodSeconds', INTEGER),
  query('orphanDependents', BOOLEAN),
  query('propagationPolicy', TEXT),
]

const PARAMETERS: Readonly<Record<string, readonly Json[]>> = {
  list: LIST_PARAMETERS,
  post: WRITE_PARAMETERS,
  put: WRITE_PARAMETERS,
  patch: [...WRITE_PARAMETERS, query('force', BOOLEAN)],
  delete: DELETE_PARAMETERS,
  deletecollection: [...DELETE_PARAMETERS, ...LIST_PARAMETERS.filter(({ name }) => name !== 'watch')],
}

function operation(endpoint: Endpoint, action: string): Json {
  const { definition, kind } = endpoint
  const parameters = PARAMETERS[action]
  const body = requestBody(endpoint, action)
  return {
    tags: [`${camel(definition.group.split('.')[0] || 'core', false)}_${definition.version}`],
    operationId: operationId(endpoint, action),
    ...(parameters && { parameters }),
    ...(body && { requestBody: body }),
    responses: {
      200: { description: 'OK', content: responseContent(endpoint, action) },
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  }
}

function requestBody({ definition, kind }: Endpoint, action: string): Json | undefined {
  if (action === 'patch') return { required: true, content: patchContent(definition) }
  if (action.startsWith('delete')) return { content: { '*/*': { schema: refTo(DELETE_OPTIONS) } } }
  if (action !== 'post' && action !== 'put') return undefined
  return { required: true, content: { '*/*': { schema: schemaOf(definition, kind) } } }
}

const PATCH_TYPES = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json']

/** Without the strategic type among them kubectl logs that it is not supported and asks for the old document. */
function patchContent({ origin }: ResourceDefinition): Json {
  const types = origin === 'builtin' ? [...PATCH_TYPES, 'application/strategic-merge-patch+json'] : PATCH_TYPES
  return Object.fromEntries(types.map((type) => [type, { schema: refTo(PATCH) }]))
}

function responseContent({ definition, kind }: Endpoint, action: string): Json {
  if (action.startsWith('delete')) return { 'application/json': { schema: refTo(STATUS) } }
  const shown = action === 'list' ? { ...kind, kind: definition.listKind } : kind
  return { 'application/json': { schema: schemaOf(definition, shown) } }
}

/** Bodies of subresources such as `scale` are built-in kinds, those of a custom resource too; streams have none. */
function schemaOf(definition: ResourceDefinition, kind: Endpoint['kind']): Schema {
  const isCustom = definition.origin === 'custom' && kind.group === definition.group
  const name = definitionName(kind, isCustom)
  return name === undefined ? { type: 'string' } : refTo(name)
}

const VERB_NAMES: Readonly<Record<string, string>> = {
  get: 'read',
  list: 'list',
  post: 'create',
  put: 'replace',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'deleteCollection',
}

function operationId({ definition, scope, subresource }: Endpoint, action: string): string {
  const { group, version, kind, namespaced } = definition
  const place = namespaced && scope !== 'all-namespaces' ? 'Namespaced' : ''
  const suffix = scope === 'all-namespaces' ? 'ForAllNamespaces' : camel(subresource ?? '', true)
  const owner = camel(definition.origin === 'custom' ? group : group.split('.')[0] || 'core', true)
  return `${VERB_NAMES[action] ?? action}${owner}${camel(version, true)}${place}${kind}${suffix}`
}

function camel(text: string, first: boolean): string {
  const joined = text.replace(/[.-](.)/g, (_, letter: string) => letter.toUpperCase())
  return first ? `${joined.slice(0, 1).toUpperCase()}${joined.slice(1)}` : joined
}

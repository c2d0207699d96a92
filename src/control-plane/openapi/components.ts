/** The schemas of one group version: of its kinds, their lists, and everything those refer to. */
import { publishedSchema, REF_PREFIX } from '../builtin/schemas.ts'
import { resourceTable } from '../builtin/tables.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Schema } from '../schema/schema.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
export const STATUS = `${META}.Status`
export const PATCH = `${META}.Patch`
export const DELETE_OPTIONS = `${META}.DeleteOptions`

/** What each document holds whatever its kinds are. */
const ALWAYS = [STATUS, PATCH, DELETE_OPTIONS, `${META}.ObjectMeta`, `${META}.ListMeta`]

export const refTo = (name: string): Schema => ({ $ref: `${REF_PREFIX}${name}` })

/** The name of a kind's definition: `io.k8s.api.apps.v1.Deployment`, of a custom kind `com.example.v1.Widget`; undefined if it has none. */
export function definitionName(
  kind: { group: string; version: string; kind: string },
  custom: boolean,
): string | undefined {
  if (!custom) return resourceTable().kinds[`${kind.group}/${kind.version}/${kind.kind}`]
  return [...kind.group.split('.').reverse(), kind.version, kind.kind].join('.')
}

export function componentsOf(definitions: readonly ResourceDefinition[]): Record<string, Schema> {
  const schemas: Record<string, Schema> = {}
  for (const definition of definitions) {
    if (definition.origin === 'custom') addCustom(schemas, definition)
  }
  // Of a custom resource only its subresources have built-in kinds.
  const pending = [...ALWAYS, ...definitions.flatMap(kindNames)]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (schemas[name] !== undefined) continue
    const schema = publishedSchema(name)
    if (schema === undefined) throw new Error(`the built-in schemas have no definition ${name}`)
    schemas[name] = published(schema, pending)
  }
  return Object.fromEntries(
    Object.keys(schemas)
      .sort()
      .map((name) => [name, schemas[name] as Schema]),
  )
}

/** The kind, its list, and the kinds of its subresources. */
function kindNames({ group, version, kind, listKind, subresources }: ResourceDefinition): string[] {
  const others = Object.values(subresources.other ?? {})
  const scale = subresources.scale ? [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }] : []
  return [{ group, version, kind }, { group, version, kind: listKind }, ...others, ...scale]
    .map((candidate) => definitionName(candidate, false))
    .filter((name) => name !== undefined)
}

/** A reference beside other keys becomes `allOf`, as OpenAPI 3.0 wants it. Collects the names that are referred to. */
function published(schema: Schema, pending: string[]): Schema {
  const { $ref, properties, items, additionalProperties, ...rest } = schema
  if ($ref !== undefined) pending.push($ref.slice(REF_PREFIX.length))
  const isAlone = Object.keys(schema).length === 1
  return {
    ...rest,
    ...($ref !== undefined && (isAlone ? { $ref } : { allOf: [{ $ref }] })),
    ...(properties && { properties: mapValues(properties, (property) => published(property, pending)) }),
    ...(items && { items: published(items, pending) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? published(additionalProperties, pending) : additionalProperties,
    }),
  }
}

function mapValues(map: Readonly<Record<string, Schema>>, change: (schema: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, change(schema)]))
}

const TEXT: Schema = { type: 'string' }

function addCustom(schemas: Record<string, Schema>, definition: ResourceDefinition): void {
  const { group, version, kind, listKind } = definition
  const own = definition.schema()
  const name = definitionName(definition, true) ?? ''
  schemas[name] = {
    ...own,
    type: 'object',
    properties: { ...own.properties, apiVersion: TEXT, kind: TEXT, metadata: refTo(`${META}.ObjectMeta`) },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  }
  schemas[definitionName({ group, version, kind: listKind }, true) ?? ''] = {
    type: 'object',
    required: ['items'],
    properties: {
      apiVersion: TEXT,
      kind: TEXT,
      metadata: refTo(`${META}.ListMeta`),
      items: { type: 'array', items: refTo(name) },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
  }
}

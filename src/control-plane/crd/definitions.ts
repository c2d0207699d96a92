/** What a CustomResourceDefinition makes the server serve. */
import { compareVersions } from '../discovery/version-order.ts'
import type { PrinterColumn, ResourceDefinition, Subresources } from '../registry/resource-definition.ts'
import { type JsonObject, own } from '../schema/json.ts'
import { noReferences } from '../schema/resolve-schema.ts'
import type { Schema } from '../schema/schema.ts'
import { objectAt, objectsAt, schemaOf, specOf, textAt, textsAt, versionsOf } from './crd-spec.ts'

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']

/** One definition per served version, in the order of the CRD. The CRD must be valid and have its defaults. */
export function definitionsOfCrd(crd: unknown): ResourceDefinition[] {
  const spec = specOf(crd)
  const versions = versionsOf(crd)
  const storage = versions.find((version) => own(version, 'storage') === true)
  return versions
    .filter((version) => own(version, 'served') === true)
    .map((version) => ({
      ...definitionOf(spec, version, textAt(storage, 'name')),
      ...deprecationOf(spec, version, versions),
    }))
}

function definitionOf(spec: JsonObject, version: JsonObject, storageVersion: string): ResourceDefinition {
  const names = objectAt(spec, 'names')
  const kind = textAt(names, 'kind')
  const schema = resourceSchema(version)
  return {
    group: textAt(spec, 'group'),
    version: textAt(version, 'name'),
    kind,
    listKind: textAt(names, 'listKind') || `${kind}List`,
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular') || kind.toLowerCase(),
    shortNames: textsAt(names, 'shortNames'),
    categories: textsAt(names, 'categories'),
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    verbs: VERBS,
    subresources: subresourcesOf(version),
    schema: () => schema,
    resolve: noReferences,
    columns: columnsOf(version),
    origin: 'custom',
    storageVersion,
    prune: own(spec, 'preserveUnknownFields') !== true,
    selectableFields: objectsAt(version, 'selectableFields').map((field) =>
      textAt(field, 'jsonPath').replace(/^\./, ''),
    ),
  }
}

/** A deprecated version that says nothing itself points to the newest stable one that is better. */
function deprecationOf(
  spec: JsonObject,
  version: JsonObject,
  versions: readonly JsonObject[],
): { deprecationWarning?: string } {
  if (own(version, 'deprecated') !== true) return {}
  const given = own(version, 'deprecationWarning')
  if (typeof given === 'string') return { deprecationWarning: given }
  const named = (name: string): string => `${textAt(spec, 'group')}/${name} ${textAt(objectAt(spec, 'names'), 'kind')}`
  const [best] = versions
    .filter((other) => own(other, 'served') === true && own(other, 'deprecated') !== true)
    .map((other) => textAt(other, 'name'))
    .filter((name) => STABLE.test(name) && compareVersions(name, textAt(version, 'name')) < 0)
    .sort(compareVersions)
  const advice = best === undefined ? '' : `; use ${named(best)}`
  return { deprecationWarning: `${named(textAt(version, 'name'))} is deprecated${advice}` }
}

const STABLE = /^v\d+$/

const API_VERSION = 'Version of the schema that this object follows, as group/version.'
const KIND = 'Kind of the resource that this object is, in CamelCase. Cannot change.'

/** The version's schema, completed with the fields that every object has. */
function resourceSchema(version: JsonObject): Schema {
  const schema = (schemaOf(version) ?? {}) as Schema
  return {
    ...schema,
    type: 'object',
    properties: {
      apiVersion: { type: 'string', description: API_VERSION },
      kind: { type: 'string', description: KIND },
      metadata: { type: 'object' },
      ...schema.properties,
    },
  }
}

function subresourcesOf(version: JsonObject): Subresources {
  const subresources = objectAt(version, 'subresources')
  const scale = objectAt(subresources, 'scale')
  const labelSelectorPath = textAt(scale, 'labelSelectorPath')
  return {
    ...(objectAt(subresources, 'status') === undefined ? {} : { status: true }),
    ...(scale === undefined
      ? {}
      : {
          scale: {
            specReplicasPath: textAt(scale, 'specReplicasPath'),
            statusReplicasPath: textAt(scale, 'statusReplicasPath'),
            ...(labelSelectorPath === '' ? {} : { labelSelectorPath }),
          },
        }),
  }
}

const AGE: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: 'When the object was created, in server time (RFC 3339, UTC). Set by the server.',
  jsonPath: '.metadata.creationTimestamp',
}

function columnsOf(version: JsonObject): PrinterColumn[] {
  const columns = objectsAt(version, 'additionalPrinterColumns')
  return columns.length === 0 ? [AGE] : columns.map(columnOf)
}

function columnOf(column: JsonObject): PrinterColumn {
  const [format, description] = [textAt(column, 'format'), textAt(column, 'description')]
  const priority = own(column, 'priority')
  return {
    name: textAt(column, 'name'),
    type: textAt(column, 'type'),
    ...(format === '' ? {} : { format }),
    ...(description === '' ? {} : { description }),
    ...(typeof priority === 'number' ? { priority } : {}),
    jsonPath: textAt(column, 'jsonPath'),
  }
}

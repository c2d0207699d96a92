/** Checks every kind before anything is generated from it: structural, described, bounded, and with defaults that are valid. */
import { isDeepStrictEqual } from 'node:util'
import { applyDefaults } from '../../src/api/defaults.ts'
import { createValidator } from '../../src/api/parse.ts'
import type { StructuralSchema } from '../../src/api/structural.ts'
import { KIND_NAMES, KINDS } from '../../src/api/v1alpha1/kinds.ts'

/** All that may stand in a schema: what a structural schema allows, less what the kinds have no use for. */
const KEYWORDS = new Set([
  'type',
  'description',
  'default',
  'format',
  'enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'anyOf',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
])

/** What a structural schema must not say inside an alternative. */
const NOT_IN_ALTERNATIVES = ['type', 'description', 'default', 'additionalProperties', 'nullable']

/** One finding in a sentence each; empty when all is well. */
export function lintSchemas(): string[] {
  return KIND_NAMES.flatMap((kind) => {
    const { metadata: _known, ...properties } = KINDS[kind].schema.properties ?? {}
    return lintSchema({ ...KINDS[kind].schema, properties }, kind)
  })
}

export function lintSchema(schema: StructuralSchema, path: string): string[] {
  return [
    ...RULES.flatMap((rule) => rule(schema).map((problem) => `${path}: ${problem}`)),
    ...childrenOf(schema).flatMap(([key, child]) => lintSchema(child, `${path}${key}`)),
    ...Object.entries(schema.properties ?? {})
      .filter(([, child]) => !child.description)
      .map(([key]) => `${path}.${key}: has no description`),
  ]
}

function childrenOf(schema: StructuralSchema): Array<[string, StructuralSchema]> {
  const { properties, items, additionalProperties } = schema
  return [
    ...Object.entries(properties ?? {}).map(([key, child]): [string, StructuralSchema] => [`.${key}`, child]),
    ...(items ? [['[]', items] as [string, StructuralSchema]] : []),
    ...(typeof additionalProperties === 'object' ? [['{}', additionalProperties] as [string, StructuralSchema]] : []),
  ]
}

/** All are applied; each answers its problems. */
const RULES: ReadonlyArray<(schema: StructuralSchema) => string[]> = [
  function isStructural(schema) {
    const unknown = Object.keys(schema)
      .filter((key) => !KEYWORDS.has(key))
      .map((key) => `holds ${key}, which is not allowed`)
    return schema.type === undefined && !schema['x-kubernetes-int-or-string'] ? [...unknown, 'has no type'] : unknown
  },
  function boundsIntegers(schema) {
    if (schema.type !== 'integer') return []
    const format =
      schema.format === 'int32' || schema.format === 'int64' ? [] : ['integer without format int32 or int64']
    return schema.minimum === undefined ? [...format, 'integer without minimum'] : format
  },
  function typesLists(schema) {
    if (schema.type !== 'array') return []
    if (schema.items === undefined) return ['list without items']
    return schema['x-kubernetes-list-type'] === undefined ? ['list without x-kubernetes-list-type'] : mapKeys(schema)
  },
  function requiresOnlyWhatExists(schema) {
    return (schema.required ?? []).flatMap((field) => {
      const child = schema.properties?.[field]
      if (child === undefined && schema.properties?.['spec'] === undefined)
        return [`requires ${field}, which it does not have`]
      return child?.default === undefined ? [] : [`requires ${field}, which has a default`]
    })
  },
  function hasValidDefault(schema) {
    if (schema.default === undefined) return []
    const validate = createValidator(schema)
    const filled = applyDefaults(schema, schema.default)
    // An API server runs the rules of a block over its default as it is written.
    if (schema['x-kubernetes-validations'] && !isDeepStrictEqual(filled, schema.default)) {
      return ['default of a block with rules has to be complete']
    }
    if (validate(filled)) return []
    return [`default ${JSON.stringify(schema.default)} is not valid: ${validate.errors?.[0]?.message}`]
  },
  function keepsAlternativesPlain(schema) {
    if (schema['x-kubernetes-int-or-string']) return []
    return (schema.anyOf ?? []).flatMap(forbiddenInAlternative)
  },
]

function mapKeys(schema: StructuralSchema): string[] {
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  return keys
    .filter((key) => !schema.items?.required?.includes(key))
    .map((key) => `is keyed by ${key}, which its items do not require`)
}

function forbiddenInAlternative(schema: StructuralSchema): string[] {
  return [
    ...NOT_IN_ALTERNATIVES.filter((key) => Object.hasOwn(schema, key)).map((key) => `alternative holds ${key}`),
    ...Object.values(schema.properties ?? {}).flatMap(forbiddenInAlternative),
  ]
}

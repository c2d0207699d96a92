/**
 * The schemas of the built-in kinds, as objects are checked against them. The generated tables hold them as OpenAPI
 * publishes them; there, `required` and zero defaults tell what Go writes, not what a client must send. So:
 * - a required text loses its default `""`: leaving it out is an error, not an empty text;
 * - a required number or boolean with a default is not required: absent means zero, and the kind's own checks judge zero;
 * - an optional field's zero default is dropped where Go leaves it out;
 * - in a definition that occurs in statuses only, nothing is required and what Go always writes is defaulted.
 */
import type { ResolveRef, Schema } from '../schema/schema.ts'
import { generated, resourceTable, splitName } from './tables.ts'

export const REF_PREFIX = '#/components/schemas/'

/** Required by OpenAPI, but the real server takes the object without it. */
const NOT_REALLY_REQUIRED: Readonly<Record<string, readonly string[]>> = {
  'io.k8s.api.authentication.v1.TokenRequestSpec': ['audiences'],
  'io.k8s.api.core.v1.LimitRangeSpec': ['limits'],
  'io.k8s.api.rbac.v1.RoleRef': ['apiGroup'],
}

const INT_OR_STRING: Schema = { 'x-kubernetes-int-or-string': true }
/** A number is taken as a quantity too, fractions included. */
const QUANTITY: Schema = { anyOf: [{ type: 'string' }, { type: 'number' }] }

const REPLACED: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': INT_OR_STRING,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': QUANTITY,
}

/** The published definition, or undefined when there is none of that name. */
export function publishedSchema(name: string): Schema | undefined {
  const { file, member } = splitName(name)
  if (!knownFiles().has(file)) return undefined
  return generated<Record<string, Schema>>(`schemas/${file}`)[member]
}

let files: ReadonlySet<string> | undefined

/** Packages that have a file: all kinds' own, and those of the parts they share. */
function knownFiles(): ReadonlySet<string> {
  files ??= new Set([...Object.values(resourceTable().kinds), ...SHARED].map((name) => splitName(name).file))
  return files
}

const SHARED = [
  'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta',
  'io.k8s.apimachinery.pkg.runtime.RawExtension',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
]

const adapted = new Map<string, Schema>()

/** Follows a reference of a built-in schema. */
export const resolveBuiltin: ResolveRef = (ref) => {
  const known = adapted.get(ref)
  if (known !== undefined) return known
  const name = ref.startsWith(REF_PREFIX) ? ref.slice(REF_PREFIX.length) : ref
  const published = publishedSchema(name)
  if (published === undefined) throw new Error(`the built-in schemas have no definition ${name}`)
  const schema = REPLACED[name] ?? adapt(name, published)
  adapted.set(ref, schema)
  return schema
}

let statusOnly: ReadonlySet<string> | undefined

function adapt(name: string, published: Schema): Schema {
  statusOnly ??= new Set(resourceTable().statusOnly)
  const { alwaysWritten } = resourceTable()
  const { required = [], properties, ...rest } = published
  if (properties === undefined) return published
  const lenient = statusOnly.has(name)
  const stillRequired = lenient ? [] : required.filter((field) => isRequired(name, field, properties[field]))
  return {
    ...rest,
    properties: Object.fromEntries(
      Object.entries(properties).map(([field, schema]) => {
        const isRequired = required.includes(field) && (lenient || schema.default !== '')
        const isWritten = isRequired || alwaysWritten[name]?.includes(field) === true
        return [field, isZero(schema.default) && !isWritten ? withoutDefault(schema) : schema]
      }),
    ),
    ...(stillRequired.length > 0 && { required: stillRequired }),
  }
}

const isZero = (value: unknown): boolean => value === '' || value === 0 || value === false

function isRequired(name: string, field: string, schema: Schema | undefined): boolean {
  if (NOT_REALLY_REQUIRED[name]?.includes(field)) return false
  return typeof schema?.default !== 'number' && typeof schema?.default !== 'boolean'
}

function withoutDefault({ default: _empty, ...schema }: Schema): Schema {
  return schema
}

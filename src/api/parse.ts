/**
 * Parses an unknown value into an object of one of our kinds: defaults filled, every field checked against the schema. For
 * manifests and whatever else no API server has checked. Rules in CEL are the API server's own business and are not run here.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { applyDefaults } from './defaults.ts'
import { DNS_LABEL, DURATION } from './field.ts'
import { mapChildren, type StructuralSchema } from './structural.ts'
import { parseTimestamp } from './timestamp.ts'
import { KINDS, type KindName, type KindTypes } from './v1alpha1/kinds.ts'
import { API_VERSION } from './v1alpha1/resources.ts'

export interface ParseError {
  /** Path of the field, such as `spec.readinessGates[0].name`; empty for the object itself. */
  readonly field: string
  /** What is wrong with it, such as `is required`. */
  readonly message: string
}

export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly ParseError[] }

export interface ParseOptions {
  /** What happens to fields that the schema does not know; default `keep`. */
  readonly unknownFields?: 'keep' | 'reject'
}

export function parseObject<K extends KindName>(
  kind: K,
  value: unknown,
  options: ParseOptions = {},
): ParseResult<KindTypes[K]> {
  const identity = identityErrors(kind, value)
  if (identity.length > 0) return { ok: false, errors: identity }
  const filled: unknown = applyDefaults(KINDS[kind].schema, value)
  const validate = validatorOf(kind, options.unknownFields ?? 'keep')
  if (validate(filled)) return { ok: true, value: filled as KindTypes[K] }
  return { ok: false, errors: toParseErrors(validate.errors ?? []) }
}

/** Is it an object of that kind at all? Both fields may be left out. */
function identityErrors(kind: KindName, value: unknown): ParseError[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ field: '', message: `must be an object of kind ${kind}` }]
  }
  const wanted = { apiVersion: API_VERSION, kind }
  const given = value as { apiVersion?: unknown; kind?: unknown }
  return (['apiVersion', 'kind'] as const)
    .filter((field) => given[field] !== undefined && given[field] !== wanted[field])
    .map((field) => ({ field, message: `must be ${wanted[field]}` }))
}

/** Compiled schemas: derived from constants alone, so that sharing them changes nothing. */
const compiled = new Map<string, ValidateFunction>()

/** Compiles on first use: most programs parse one or two kinds. */
function validatorOf(kind: KindName, unknownFields: 'keep' | 'reject'): ValidateFunction {
  const key = `${kind}/${unknownFields}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const schema = KINDS[kind].schema
  const validate = createValidator(unknownFields === 'reject' ? closed(schema) : schema)
  compiled.set(key, validate)
  return validate
}

/** A validator for a structural schema; formats as Kubernetes understands them. */
export function createValidator(schema: StructuralSchema): ValidateFunction {
  const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false })
  ajv.addFormat('date-time', (text: string) => parseTimestamp(text) !== undefined)
  for (const format of ['int32', 'int64', 'double']) ajv.addFormat(format, true)
  return ajv.compile(schema)
}

/** The schema with every object closed for fields it does not name. */
function closed(schema: StructuralSchema): StructuralSchema {
  const below = mapChildren(schema, closed)
  return below.properties !== undefined && below.additionalProperties === undefined
    ? { ...below, additionalProperties: false }
    : below
}

const ALTERNATIVE = /^(.*\/anyOf\/\d+)\//

/**
 * One error for each cause. Of alternatives (`anyOf`) those are left out that are meant for another `type`: their errors would
 * say what other types need.
 */
function toParseErrors(errors: readonly ErrorObject[]): ParseError[] {
  const foreign = new Set(errors.filter((error) => error.keyword === 'enum').flatMap((error) => alternativeOf(error)))
  const relevant = errors.filter((error) => alternativeOf(error).every((alternative) => !foreign.has(alternative)))
  const specific = relevant.filter((error) => error.keyword !== 'anyOf')
  const shown = relevant.filter(
    (error) => error.keyword !== 'anyOf' || !specific.some((other) => isBelow(other, error)),
  )
  return shown.map((error) => ({ field: fieldOf(error), message: messageOf(error) }))
}

/** Alternatives are told apart by place in the schema and in the value, since every list item runs the same ones. */
function alternativeOf(error: ErrorObject): string[] {
  const schemaPath = ALTERNATIVE.exec(error.schemaPath)?.[1]
  if (schemaPath === undefined) return []
  const owner = error.keyword === 'enum' ? error.instancePath.replace(/\/[^/]*$/, '') : error.instancePath
  return [`${schemaPath} ${owner}`]
}

const isBelow = (error: ErrorObject, above: ErrorObject): boolean => error.instancePath.startsWith(above.instancePath)

function fieldOf(error: ErrorObject): string {
  const missing: unknown = error.params['missingProperty'] ?? error.params['additionalProperty']
  const segments = error.instancePath.split('/').slice(1).map(unescapePointer)
  return [...segments, ...(typeof missing === 'string' ? [missing] : [])].reduce(joinPath, '')
}

const unescapePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')

function joinPath(path: string, segment: string): string {
  if (/^\d+$/.test(segment)) return `${path}[${segment}]`
  return path === '' ? segment : `${path}.${segment}`
}

function messageOf(error: ErrorObject): string {
  switch (error.keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'is not a known field'
    case 'enum':
      return `must be one of ${(error.params['allowedValues'] as unknown[]).join(', ')}`
    case 'format':
      return error.params['format'] === 'date-time'
        ? 'must be a moment in RFC 3339, such as 2026-01-31T12:00:00Z'
        : `must be of format ${String(error.params['format'])}`
    case 'pattern':
      return patternMessage(String(error.params['pattern']))
    default:
      return error.message ?? 'is invalid'
  }
}

/** Says in words what the patterns mean that people meet most. */
function patternMessage(pattern: string): string {
  switch (pattern) {
    case DURATION:
      return 'must be a duration greater than zero in hours, minutes and seconds, such as 30m or 1h30m'
    case DNS_LABEL:
      return 'must consist of lower case letters, digits and dashes, and begin and end with a letter or digit'
    default:
      return `must match ${pattern}`
  }
}

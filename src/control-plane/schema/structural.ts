/**
 * Is this the schema of a custom resource that the API server accepts? [doc: Specifying a structural schema]
 *
 * Order of the findings, for a schema without unsupported keywords: what breaks structure (sorted); where there is none, what is wrong with defaults; then
 * unsupported and misplaced keywords.
 */
import { forbiddenError, invalidError } from './field-error.ts'
import { isDeeperThan, isObject } from './json.ts'
import type { FieldError } from './schema.ts'
import { checkDefaults } from './structural-defaults.ts'
import { checkInvariants } from './structural-invariants.ts'
import { checkKeywords, hasForeignKeywords } from './structural-keywords.ts'
import { checkCompleteness } from './structural-nested.ts'

/** Nesting of a whole schema, junctors included. */
const MAX_SCHEMA_DEPTH = 200

/** `path` is where the schema is, such as `spec.versions[0].schema.openAPIV3Schema`. Empty: structural and valid. */
export function checkStructural(schema: unknown, path: string): FieldError[] {
  if (!isObject(schema)) return [forbiddenError(path, 'must be a schema object')]
  if (isDeeperThan(schema, MAX_SCHEMA_DEPTH)) {
    return [forbiddenError(path, `must not be nested deeper than ${MAX_SCHEMA_DEPTH} levels`)]
  }
  if (hasForeignKeywords(schema)) {
    const keywords = checkKeywords(schema, path)
    return keywords.length > 0 ? keywords : [invalidError(path, '', "OpenAPIV3Schema 'schema' is not supported")]
  }
  const structure = [...checkInvariants(schema, path), ...checkCompleteness(schema, path)].sort(byText)
  const defaults =
    structure.length === 0 ? checkDefaults({ ...schema, 'x-kubernetes-embedded-resource': true }, path) : []
  return [...structure, ...defaults, ...checkKeywords(schema, path)]
}

function byText(left: FieldError, right: FieldError): number {
  const [a, b] = [`${left.field}: ${left.message}`, `${right.field}: ${right.message}`]
  if (a === b) return 0
  return a < b ? -1 : 1
}

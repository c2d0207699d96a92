/** The schema of one version: structural, and at its root only what a separate status can live with. */
import { validateRuleTexts } from '../cel/load.ts'
import { childPath, forbiddenError, invalidError } from '../schema/field-error.ts'
import { type JsonObject, own } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { isSet, textOf } from '../schema/schema-node.ts'
import { checkStructural } from '../schema/structural.ts'

/** With a status subresource, `properties.status` must validate alone, so the root may not tie it to other fields. */
const ROOT_KEYWORDS = [
  'description',
  'type',
  'format',
  'title',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'multipleOf',
  'required',
  'items',
  'properties',
  'externalDocs',
  'example',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-validations',
]

export interface SchemaUse {
  readonly hasStatus: boolean
  /** It is not changed: its rules may be as dear as they were. */
  readonly isKept: boolean
}

export function checkSchema(schema: JsonObject, path: string, { hasStatus, isKept }: SchemaUse): FieldError[] {
  const errors = checkForm(schema, path, hasStatus)
  // Rules are compiled against types, which only a sound schema has.
  return errors.length > 0 ? errors : [...validateRuleTexts(schema, path, isKept)]
}

function checkForm(schema: JsonObject, path: string, hasStatus: boolean): FieldError[] {
  return [
    ...(hasStatus ? checkRoot(schema, path) : []),
    ...(own(schema, 'nullable') === true
      ? [forbiddenError(childPath(path, 'nullable'), 'nullable cannot be true at the root')]
      : []),
    ...checkStructural(schema, path),
  ]
}

function checkRoot(schema: JsonObject, path: string): FieldError[] {
  const type = textOf(schema, 'type')
  const errors: FieldError[] = []
  if (type !== '' && type !== 'object') {
    const detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    errors.push(invalidError(childPath(path, 'type'), type, detail))
  } else if (Object.keys(schema).some((keyword) => isSet(schema[keyword]) && !ROOT_KEYWORDS.includes(keyword))) {
    const allowed = ROOT_KEYWORDS.join(' ')
    const detail = `only [${allowed}] fields are allowed at the root of the schema if the status subresource is enabled`
    errors.push(invalidError(path, schema, detail))
  }
  return errors
}

/**
 * A custom object loses a map or list whose last owned part is given up only as far as to null, which its schema may not
 * take. The real server refuses such an apply, and so does this one: whoever owned the parts applies an empty one first.
 */
import { childPath, indexPath } from '../schema/field-error.ts'
import { isObject, own } from '../schema/json.ts'
import type { FieldError, Schema } from '../schema/schema.ts'
import { checkType } from '../schema/validate-type.ts'

/** The nulls in `value` that its schema neither takes nor replaces by a default; `parent` is where the value is. */
export function nullErrors(schema: Schema, value: unknown, parent = ''): FieldError[] {
  const errors: FieldError[] = []
  visit(schema, value, '', { parent, errors })
  return errors
}

interface Walk {
  readonly parent: string
  readonly errors: FieldError[]
}

function visit(schema: Schema, value: unknown, path: string, walk: Walk): void {
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    for (const [index, item] of value.entries()) visit(items, item, indexPath(path, index), walk)
  } else if (isObject(value)) {
    for (const [name, field] of Object.entries(value))
      visitField(fieldSchema(schema, name), field, childPath(path, name), walk)
  }
}

function fieldSchema(schema: Schema, name: string): Schema | undefined {
  const rest = schema.additionalProperties
  return own(schema.properties, name) ?? (typeof rest === 'object' ? rest : undefined)
}

function visitField(schema: Schema | undefined, field: unknown, path: string, walk: Walk): void {
  if (schema === undefined) return
  if (field !== null) {
    visit(schema, field, path, walk)
    return
  }
  const error = schema.default === undefined ? checkType(schema, null, path, childPath(walk.parent, path)) : undefined
  if (error !== undefined) walk.errors.push(error)
}

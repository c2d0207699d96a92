/** Looks through `$ref`, which generated built-in schemas hold (alone, or as `allOf: [{$ref}]`). */
import type { ResolveRef, Schema } from './schema.ts'

/** Longest chain of references followed; a longer one is a cycle. */
const MAX_REFS = 32

/** The schema that holds `properties`, `items` and so on. Throws for an unknown or cyclic reference. */
export function resolveSchema(schema: Schema, resolve: ResolveRef): Schema {
  let current = schema
  for (let count = 0; count <= MAX_REFS; count++) {
    const ref = referenceOf(current)
    if (ref === undefined) return current
    current = resolve(ref)
  }
  throw new Error(`schema reference ${referenceOf(current)} leads back to itself; the schema is broken`)
}

function referenceOf(schema: Schema): string | undefined {
  if (schema.$ref !== undefined) return schema.$ref
  const all = schema.allOf
  return all?.length === 1 && schema.properties === undefined ? all[0]?.$ref : undefined
}

/** For CRD schemas: they hold no references. */
export const noReferences: ResolveRef = (ref) => {
  throw new Error(`unexpected schema reference ${ref}: custom resource schemas hold none`)
}

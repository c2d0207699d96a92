/** What a kind's schema says about merging one of its fields. */
import { own } from '../schema/json.ts'
import { resolveSchema } from '../schema/resolve-schema.ts'
import type { ResolveRef, Schema } from '../schema/schema.ts'

export interface PatchMetadata {
  /** Schema of the field, or of its items when the field is a list; undefined where the schema says nothing. */
  readonly schema: Schema | undefined
  /** `merge`, `replace`, or undefined: maps merge, lists are replaced. (`retainKeys` acts through its directive.) */
  readonly strategy: string | undefined
  /** Which field identifies an item of a merged list of objects. */
  readonly mergeKey: string | undefined
}

/** Looks up fields of the objects that `schema` describes. */
export function patchMetadata(schema: Schema | undefined, field: string, resolve: ResolveRef): PatchMetadata {
  const property = propertyOf(schema, field, resolve)
  if (property === undefined) return { schema: undefined, strategy: undefined, mergeKey: undefined }
  const resolved = resolveSchema(property, resolve)
  const strategies = (property['x-kubernetes-patch-strategy'] ?? resolved['x-kubernetes-patch-strategy'] ?? '').split(
    ',',
  )
  return {
    schema: resolved.items ?? resolved,
    strategy: strategies.find((strategy) => strategy === 'merge' || strategy === 'replace'),
    mergeKey: property['x-kubernetes-patch-merge-key'] ?? resolved['x-kubernetes-patch-merge-key'],
  }
}

function propertyOf(schema: Schema | undefined, field: string, resolve: ResolveRef): Schema | undefined {
  if (schema === undefined) return undefined
  const resolved = resolveSchema(schema, resolve)
  const rest = resolved.additionalProperties
  return own(resolved.properties, field) ?? (typeof rest === 'object' ? rest : undefined)
}

/** Subresources of a CRD: where `/scale` finds the replicas and the selector. */
import { childPath, invalidError, requiredError } from '../schema/field-error.ts'
import type { JsonObject } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { objectAt, textAt } from './crd-spec.ts'
import { checkSimplePath } from './validate-columns.ts'

interface ScalePath {
  readonly field: string
  readonly required: boolean
  readonly roots: readonly string[]
  readonly detail: string
}

const PATHS: readonly ScalePath[] = [
  { field: 'specReplicasPath', required: true, roots: ['.spec.'], detail: 'should be a json path under .spec' },
  { field: 'statusReplicasPath', required: true, roots: ['.status.'], detail: 'should be a json path under .status' },
  {
    field: 'labelSelectorPath',
    required: false,
    roots: ['.spec.', '.status.'],
    detail: 'should be a json path under either .spec or .status',
  },
]

export function checkScale(subresources: JsonObject | undefined, path: string): FieldError[] {
  const scale = objectAt(subresources, 'scale')
  if (scale === undefined) return []
  return PATHS.flatMap(({ field, required, roots, detail }) => {
    const value = textAt(scale, field)
    const at = childPath(path, `scale.${field}`)
    if (value === '') return required ? [requiredError(at)] : []
    const malformed = checkSimplePath(value, at)
    if (malformed.length > 0) return malformed
    return roots.some((root) => value.startsWith(root)) ? [] : [invalidError(at, value, detail)]
  })
}

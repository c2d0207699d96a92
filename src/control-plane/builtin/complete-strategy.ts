/** What every built-in kind gets around its own strategy: canonical quantities, and the zeros of a fresh status. */
import type { StoredObject, Strategy } from '../registry/resource-definition.ts'
import { applyDefaults } from '../schema/default.ts'
import { at, isFields } from './fields.ts'
import { normaliseQuantities } from './normalise-quantities.ts'
import { REF_PREFIX, resolveBuiltin } from './schemas.ts'

/** `name` is the definition of the kind; `own` is what its strategy does. */
export function completeStrategy(name: string, own: Strategy = {}): Strategy {
  return {
    ...own,
    defaults(object) {
      normaliseQuantities(name, object)
      own.defaults?.(object)
      fillStatus(name, object)
    },
    validate: (object) => [...normaliseQuantities(name, object), ...(own.validate?.(object) ?? [])],
  }
}

/** Counts and nested structures that Go writes always, such as `status: {replicas: 0}`. */
function fillStatus(name: string, object: StoredObject): void {
  const schema = resolveBuiltin(`${REF_PREFIX}${name}`).properties?.['status']
  const status = at(object, 'status')
  if (schema !== undefined && isFields(status)) applyDefaults(schema, status, resolveBuiltin)
}

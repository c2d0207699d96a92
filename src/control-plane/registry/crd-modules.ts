/** The code that turns CRDs into definitions: loaded with the first CRD, not at every start. */
import type { FieldError } from '../schema/schema.ts'
import type { ResourceDefinition, StoredObject } from './resource-definition.ts'

export interface CrdModules {
  readonly validateCrd: (crd: StoredObject, old?: StoredObject) => FieldError[]
  readonly definitionsOfCrd: (crd: StoredObject) => ResourceDefinition[]
}

export async function loadCrdModules(): Promise<CrdModules> {
  const [{ validateCrd }, { definitionsOfCrd }] = await Promise.all([
    import('../crd/validate-crd.ts'),
    import('../crd/definitions.ts'),
  ])
  return { validateCrd, definitionsOfCrd }
}

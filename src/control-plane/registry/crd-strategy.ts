/** What a CustomResourceDefinition gets beyond its schema when it is written. */
import { isObject, type JsonObject } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import type { CrdModules } from './crd-modules.ts'
import type { ResourceDefinition, StoredObject, Strategy } from './resource-definition.ts'

/** The built-in definition of CRDs, completed. `modules` are loaded before any CRD is written. */
export function withCrdStrategy(definition: ResourceDefinition, modules: () => CrdModules): ResourceDefinition {
  const strategy: Strategy = {
    ...definition.strategy,
    prepareForCreate: (crd) => {
      crd['status'] = {
        acceptedNames: { plural: '', kind: '' },
        storedVersions: storageVersions(crd).slice(0, 1),
      }
    },
    prepareForUpdate: (crd) => keepStoredVersions(crd),
    defaults: (crd) => {
      definition.strategy?.defaults?.(crd)
      fillDefaults(crd)
    },
    // An object that was never stored is being created; an update is judged against what was.
    validate: (crd): FieldError[] => (crd.metadata.resourceVersion === '' ? modules().validateCrd(crd) : []),
    validateUpdate: (crd, old): FieldError[] => modules().validateCrd(crd, old),
  }
  return { ...definition, strategy }
}

function specOf(crd: StoredObject): JsonObject {
  return isObject(crd['spec']) ? crd['spec'] : {}
}

function fillDefaults(crd: StoredObject): void {
  const spec = specOf(crd)
  const { names } = spec
  if (isObject(names) && typeof names['kind'] === 'string') {
    names['singular'] ??= names['kind'].toLowerCase()
    names['listKind'] ??= `${names['kind']}List`
  }
  spec['conversion'] ??= { strategy: 'None' }
  // Always written, before there is any too.
  const { status } = crd
  if (isObject(status)) status['conditions'] ??= null
}

function storageVersions(crd: StoredObject): string[] {
  const { versions } = specOf(crd)
  if (!Array.isArray(versions)) return []
  return versions.flatMap((version: unknown) =>
    isObject(version) && version['storage'] === true && typeof version['name'] === 'string' ? [version['name']] : [],
  )
}

/** Every version that objects may still be stored in stays listed until someone migrated them and takes it away. */
function keepStoredVersions(crd: StoredObject): void {
  const status = isObject(crd['status']) ? crd['status'] : {}
  const before = Array.isArray(status['storedVersions']) ? (status['storedVersions'] as string[]) : []
  crd['status'] = { ...status, storedVersions: [...new Set([...before, ...storageVersions(crd)])] }
}

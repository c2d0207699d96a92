/** The other versions of a kind, in which some of an object's managers may have written. */

import { apiVersionOf } from '../registry/api-version.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import type { JsonObject } from '../schema/json.ts'
import type { FieldSet } from './field-set.ts'
import { ignoredFields } from './ignored-fields.ts'
import { objectType, type ValueType } from './value-type.ts'

export interface KindVersion {
  readonly type: ValueType
  readonly ignored: FieldSet | undefined
  convert(object: JsonObject): JsonObject
}

/** Undefined for a version that is not served any more: what was owned through it is forgotten. */
export type Versions = (apiVersion: string) => KindVersion | undefined

/** Of most kinds the versions differ in their schema alone; an object is the same in all of them but for its `apiVersion`. */
export function versionsOf(
  registry: Pick<Registry, 'find'>,
  definition: ResourceDefinition,
  subresource: string,
): Versions {
  const own = apiVersionOf(definition.group, definition.version)
  const known = new Map<string, KindVersion>()
  const find: Find = (version) => (version === own ? definition : findVersion(registry, definition, version))
  return (apiVersion) => {
    const made = known.get(apiVersion)
    if (made !== undefined) return made
    const found = find(apiVersion)
    if (found === undefined) return undefined
    const version: KindVersion = {
      type: objectType(found),
      ignored: ignoredFields(found, subresource),
      convert: (object) => (object['apiVersion'] === apiVersion ? object : convertTo(found, object, find)),
    }
    known.set(apiVersion, version)
    return version
  }
}

function findVersion(
  registry: Pick<Registry, 'find'>,
  { plural }: ResourceDefinition,
  apiVersion: string,
): ResourceDefinition | undefined {
  const slash = apiVersion.indexOf('/')
  return registry.find(apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1), plural)
}

type Find = (apiVersion: string) => ResourceDefinition | undefined

function convertTo(target: ResourceDefinition, object: JsonObject, find: Find): JsonObject {
  const { apiVersion } = object
  const source = typeof apiVersion === 'string' ? find(apiVersion) : undefined
  // Of an object of ours: it has all that every object has.
  const whole = object as StoredObject
  const stored = source?.conversion?.toStorage(whole) ?? whole
  const converted = target.conversion?.fromStorage(stored) ?? stored
  return { ...converted, apiVersion: apiVersionOf(target.group, target.version) }
}

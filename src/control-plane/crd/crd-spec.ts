/** Reads a CustomResourceDefinition without trusting its form. */
import { equalJson, isObject, type JsonObject, own } from '../schema/json.ts'

export function objectAt(object: JsonObject | undefined, field: string): JsonObject | undefined {
  const value = object === undefined ? undefined : own(object, field)
  return isObject(value) ? value : undefined
}

export function textAt(object: JsonObject | undefined, field: string): string {
  const value = object === undefined ? undefined : own(object, field)
  return typeof value === 'string' ? value : ''
}

export function objectsAt(object: JsonObject | undefined, field: string): JsonObject[] {
  const value = object === undefined ? undefined : own(object, field)
  return Array.isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : []
}

export function textsAt(object: JsonObject | undefined, field: string): string[] {
  const value = object === undefined ? undefined : own(object, field)
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export function specOf(crd: unknown): JsonObject {
  return isObject(crd) ? (objectAt(crd, 'spec') ?? {}) : {}
}

export function versionsOf(crd: unknown): JsonObject[] {
  return objectsAt(specOf(crd), 'versions')
}

export function schemaOf(version: JsonObject): JsonObject | undefined {
  return objectAt(objectAt(version, 'schema'), 'openAPIV3Schema')
}

/** Whether a condition of the CRD's status is true. */
export function hasCondition(crd: unknown, type: string): boolean {
  const status = isObject(crd) ? objectAt(crd, 'status') : undefined
  return objectsAt(status, 'conditions').some(
    (condition) => textAt(condition, 'type') === type && textAt(condition, 'status') === 'True',
  )
}

/**
 * The real server reports what all versions have in common once, under an older name directly below `spec`.
 * With one version that is everything.
 */
export function isShared(versions: readonly JsonObject[], field: string): boolean {
  const first = versions[0]
  return first !== undefined && versions.every((version) => equalJson(own(version, field), own(first, field)))
}

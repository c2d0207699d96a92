/**
 * What goes when a manager applies less than the last time: the fields and items that it owned, does not apply any more,
 * and that nobody else owns. Done in three steps: take out all that it owned; put back what anybody owns now; put back what
 * was below but was never its own.
 */
import { isObject, type JsonObject } from '../schema/json.ts'
import { differenceOf, type FieldSet, intersectionOf, isEmptySet, NO_FIELDS, unionOf } from './field-set.ts'
import type { Manager, Managers } from './managed-fields.ts'
import { fieldsOf } from './object-fields.ts'
import { fieldNameOf, isKeyElement, type PathElement } from './path-element.ts'
import { removeFields } from './remove-fields.ts'
import type { ValueType } from './value-type.ts'
import type { Versions } from './versions.ts'

export interface Applied {
  readonly merged: JsonObject
  /** All of them after this apply, the applying one with its new fields. */
  readonly managers: Managers
  /** The entry that the applying manager had. */
  readonly last: Manager | undefined
  readonly versions: Versions
}

/** @throws FieldsError */
export function pruneFields({ merged, managers, last, versions }: Applied): JsonObject {
  const version = last === undefined ? undefined : versions(last.apiVersion)
  if (last === undefined || version === undefined || isEmptySet(last.set)) return merged
  const { type, convert } = version
  const whole = convert(merged)
  const owned = withNamed(last.set, type)
  const stripped = remove(type, whole, owned)
  const kept = putBackOwned({ whole, stripped, managers, versions, first: last.apiVersion })
  const gone = differenceOf(namedFieldsOf(type, whole), namedFieldsOf(type, convert(kept)))
  return remove(type, whole, intersectionOf(gone, owned))
}

interface PutBack {
  readonly whole: JsonObject
  readonly stripped: JsonObject
  readonly managers: Managers
  readonly versions: Versions
  /** The version to begin with. */
  readonly first: string
}

function putBackOwned({ whole, stripped, managers, versions, first }: PutBack): JsonObject {
  const owned = new Map<string, FieldSet>([[first, NO_FIELDS]])
  for (const manager of managers.values()) {
    owned.set(manager.apiVersion, unionOf(owned.get(manager.apiVersion) ?? NO_FIELDS, manager.set))
  }
  let kept = stripped
  for (const [apiVersion, set] of owned) {
    const version = versions(apiVersion)
    if (version === undefined) continue
    const { type, convert } = version
    const all = convert(whole)
    const stays = unionOf(namedFieldsOf(type, convert(kept)), withNamed(set, type))
    kept = remove(type, all, differenceOf(namedFieldsOf(type, all), stays))
  }
  return kept
}

function remove(type: ValueType, object: JsonObject, gone: FieldSet): JsonObject {
  const left = removeFields(type, object, gone)
  return isObject(left) ? left : {}
}

function namedFieldsOf(type: ValueType, object: JsonObject): FieldSet {
  return withNamed(fieldsOf(type, object), type)
}

/** Objects that the schema names count as members too, as soon as something below them is one. */
function withNamed(set: FieldSet, type: ValueType | undefined): FieldSet {
  if (set.children === undefined) return set
  const children = new Map<PathElement, FieldSet>()
  for (const [element, child] of set.children) {
    const { inner, isNamed } = below(type, element)
    const named = withNamed(child, inner)
    children.set(element, isNamed && !named.member ? { ...named, member: true } : named)
  }
  return { member: set.member, children }
}

function below(type: ValueType | undefined, element: PathElement): { inner: ValueType | undefined; isNamed: boolean } {
  const name = fieldNameOf(element)
  if (name === undefined) return { inner: isKeyElement(element) ? type?.list?.items : undefined, isNamed: false }
  const declared = type?.map?.declared(name)
  return { inner: declared ?? type?.map?.rest, isNamed: declared !== undefined }
}

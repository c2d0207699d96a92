/** A part that has become atomic since it was owned piece by piece is owned as a whole from now on. */
import { type FieldSet, isEmptySet, LEAF } from './field-set.ts'
import type { Managers } from './managed-fields.ts'
import { fieldNameOf, type PathElement } from './path-element.ts'
import type { ValueType } from './value-type.ts'
import type { Versions } from './versions.ts'

/** The same map when nothing changes. Managers of versions that are no longer served are left out. */
export function followSchema(managers: Managers, versions: Versions): Managers {
  let changed: Managers | undefined
  for (const [key, manager] of managers) {
    const version = versions(manager.apiVersion)
    const set = version === undefined ? undefined : follow(version.type, manager.set, true)
    if (set === manager.set) continue
    changed ??= new Map(managers)
    if (set === undefined) changed.delete(key)
    else changed.set(key, manager.withSet(set))
  }
  return changed ?? managers
}

function follow(type: ValueType | undefined, set: FieldSet, isRoot = false): FieldSet {
  if (type === undefined || set.children === undefined) return set
  if (!isRoot && isAtomic(type)) return LEAF
  let children: Map<PathElement, FieldSet> | undefined
  for (const [element, child] of set.children) {
    const followed = follow(typeOf(type, element), child)
    if (followed === child || isEmptySet(followed)) continue
    children ??= new Map(set.children)
    children.set(element, followed)
  }
  return children === undefined ? set : { member: set.member, children }
}

/** Of a part without a type nothing is known that could have changed. */
function isAtomic({ scalar, list, map }: ValueType): boolean {
  if (scalar !== undefined) return false
  return map === undefined ? list?.atomic === true : map.atomic
}

function typeOf(type: ValueType, element: PathElement): ValueType | undefined {
  const name = fieldNameOf(element)
  if (name !== undefined) return type.map?.declared(name) ?? type.map?.rest
  return type.list?.items
}

/** What changed from one object to another, in fields that can have owners. */
import { equalJson, isObject, type JsonObject, own } from '../schema/json.ts'
import { type FieldSet, FieldSetBuilder, unionOf, withoutBranches } from './field-set.ts'
import { itemsByElement } from './item-element.ts'
import { branchOf } from './object-fields.ts'
import { fieldElement, type PathElement } from './path-element.ts'
import { fieldType, type ListType, type MapType, type Shape, shapeOf, type ValueType } from './value-type.ts'

/** No field is in more than one of the sets. */
export interface Comparison {
  readonly added: FieldSet
  /** In both, with different values. */
  readonly modified: FieldSet
  readonly removed: FieldSet
}

/** @throws FieldsError */
export function compareObjects(type: ValueType, before: unknown, after: unknown): Comparison {
  const comparing = new Comparing()
  comparing.compare(type, before, after)
  return { added: comparing.added.set, modified: comparing.modified.set, removed: comparing.removed.set }
}

export function isSame({ added, modified, removed }: Comparison): boolean {
  return [added, modified, removed].every(({ children }) => children === undefined || children.size === 0)
}

/** What the author of `after` now owns. */
export function writtenFields({ added, modified }: Comparison): FieldSet {
  return unionOf(added, modified)
}

export function ignoreFields({ added, modified, removed }: Comparison, ignored: FieldSet | undefined): Comparison {
  if (ignored === undefined) return { added, modified, removed }
  return {
    added: withoutBranches(added, ignored),
    modified: withoutBranches(modified, ignored),
    removed: withoutBranches(removed, ignored),
  }
}

class Comparing {
  readonly added = new FieldSetBuilder()
  readonly modified = new FieldSetBuilder()
  readonly removed = new FieldSetBuilder()
  readonly #path: PathElement[] = []

  /** Absent is undefined; null is a value. */
  compare(type: ValueType, before: unknown, after: unknown): void {
    if (before === after) return
    if (before === undefined) this.added.add(this.#path, branchOf(type, after))
    else if (after === undefined) this.removed.add(this.#path, branchOf(type, before))
    else this.#compareBoth(type, before, after)
  }

  #compareBoth(type: ValueType, before: unknown, after: unknown): void {
    const [old, current] = [shapeOf(type, before), shapeOf(type, after)]
    this.#compareAs(current, type, before, after)
    if (old !== current) this.#compareAs(old, type, before, after)
  }

  #compareAs(shape: Shape, type: ValueType, before: unknown, after: unknown): void {
    if (shape === 'map' && type.map !== undefined && !type.map.atomic) this.#compareMaps(type.map, before, after)
    else if (shape === 'list' && type.list !== undefined && !type.list.atomic)
      this.#compareLists(type.list, before, after)
    else this.#compareWhole(before, after)
  }

  #compareWhole(before: unknown, after: unknown): void {
    if (!equalJson(before, after)) this.modified.add(this.#path)
  }

  #compareMaps(map: MapType, before: unknown, after: unknown): void {
    const old = isObject(before) ? before : {}
    const current = isObject(after) ? after : {}
    // Empty and null are told apart although neither has fields.
    if (isEmpty(old) && isEmpty(current)) this.#compareWhole(before, after)
    for (const name in current) {
      if (current[name] === old[name]) continue
      this.#step(fieldElement(name), fieldType(map, name), own(old, name), current[name])
    }
    for (const name in old) {
      if (!Object.hasOwn(current, name)) this.#step(fieldElement(name), fieldType(map, name), old[name], undefined)
    }
  }

  #step(element: PathElement, type: ValueType, before: unknown, after: unknown): void {
    if (before === after) return
    this.#path.push(element)
    this.compare(type, before, after)
    this.#path.pop()
  }

  #compareLists(list: ListType, before: unknown, after: unknown): void {
    if (equalJson(before, after)) return
    const old = itemsByElement(list, Array.isArray(before) ? before : [])
    const current = itemsByElement(list, Array.isArray(after) ? after : [])
    if (old.size === 0 && current.size === 0) {
      this.#compareWhole(before, after)
      return
    }
    for (const [element, items] of current) this.#compareItems(list, element, old.get(element) ?? [], items)
    for (const [element, items] of old) if (!current.has(element)) this.#compareItems(list, element, items, [])
  }

  /** Items that share an element are no fields of their own: they are owned together. */
  #compareItems(list: ListType, element: PathElement, before: readonly unknown[], after: readonly unknown[]): void {
    if (before.length <= 1 && after.length <= 1) {
      this.#step(element, list.items, before[0], after[0])
      return
    }
    const at = [...this.#path, element]
    if (before.length > 1 && after.length > 1) {
      if (!equalJson(before, after)) this.modified.add(at)
      return
    }
    if (before.length > 1) {
      this.#step(element, list.items, undefined, after[0])
      this.removed.add(at)
    } else {
      this.#step(element, list.items, before[0], undefined)
      this.added.add(at)
    }
  }
}

function isEmpty(object: JsonObject): boolean {
  for (const _name in object) return false
  return true
}

/** Lays an applied object over the live one: what the applied one states wins, what it leaves out stays. */
import { isObject, type JsonObject, own, setOwn } from '../schema/json.ts'
import { itemElement } from './item-element.ts'
import type { PathElement } from './path-element.ts'
import { fieldType, type ListType, type MapType, shapeOf, type ValueType } from './value-type.ts'

/** Absent is undefined, on both sides and in the answer. @throws FieldsError */
export function mergeObjects(type: ValueType, live: unknown, applied: unknown): unknown {
  switch (shapeOf(type, applied === undefined ? live : applied)) {
    case 'map':
      return type.map === undefined || type.map.atomic ? lastOf(live, applied) : mergeMaps(type.map, live, applied)
    case 'list':
      return type.list === undefined || type.list.atomic ? lastOf(live, applied) : mergeLists(type.list, live, applied)
    default:
      return lastOf(live, applied)
  }
}

const lastOf = (live: unknown, applied: unknown): unknown => (applied === undefined ? live : applied)

function mergeMaps(map: MapType, live: unknown, applied: unknown): unknown {
  const old = isObject(live) ? live : {}
  const stated = isObject(applied) ? applied : {}
  const merged: JsonObject = {}
  for (const name of new Set([...Object.keys(old), ...Object.keys(stated)])) {
    const value = mergeObjects(fieldType(map, name), own(old, name), own(stated, name))
    if (value !== undefined) setOwn(merged, name, value)
  }
  // Empty and null are told apart.
  return Object.keys(merged).length === 0 ? lastOf(live, applied) : merged
}

function mergeLists(list: ListType, live: unknown, applied: unknown): unknown {
  const old: unknown[] = Array.isArray(live) ? live : []
  const stated: unknown[] = Array.isArray(applied) ? applied : []
  if (old.length === 0 && stated.length === 0) return lastOf(live, applied)
  return new ListMerge(list, old, stated).run()
}

interface Item {
  readonly element: PathElement
  readonly value: unknown
}

/**
 * The items of both lists. Those that the applied list states come in its order; those of the live list alone keep their
 * place among the live ones, before the next item that both have.
 */
class ListMerge {
  readonly #list: ListType
  readonly #live: readonly Item[]
  readonly #applied: readonly Item[]
  readonly #byElement: ReadonlyMap<PathElement, unknown>
  readonly #stated: ReadonlySet<PathElement>
  /** What both have, in the order of the applied list: the next one to come. */
  readonly #shared: PathElement[]
  readonly #done = new Set<PathElement>()
  readonly #merged: unknown[] = []
  #liveAt = 0
  #appliedAt = 0

  constructor(list: ListType, live: readonly unknown[], applied: readonly unknown[]) {
    this.#list = list
    this.#live = live.map((value) => ({ element: itemElement(list, value), value }))
    this.#applied = applied.map((value) => ({ element: itemElement(list, value), value }))
    this.#byElement = indexOf(this.#live)
    this.#stated = new Set(this.#applied.map(({ element }) => element))
    this.#shared = this.#applied.map(({ element }) => element).filter((element) => this.#byElement.has(element))
  }

  run(): unknown[] {
    for (;;) {
      const live = this.#live[this.#liveAt]
      const applied = this.#applied[this.#appliedAt]
      if (live === undefined && applied === undefined) return this.#merged
      if (live !== undefined && this.#takeLive(live, applied)) continue
      if (applied !== undefined) this.#takeApplied(applied)
    }
  }

  /** False when it is the applied list's turn. */
  #takeLive(live: Item, applied: Item | undefined): boolean {
    if (!this.#stated.has(live.element)) {
      this.#push(live.value, undefined)
      this.#liveAt += 1
      return true
    }
    const next = this.#shared[0]
    if (live.element === applied?.element) {
      this.#takeApplied(applied)
      this.#liveAt += 1
      return true
    }
    // Shared, but another shared item comes first in the applied list.
    if (applied !== undefined && next !== undefined && next !== live.element) {
      this.#liveAt += 1
      return true
    }
    if (this.#done.has(live.element)) this.#liveAt += 1
    return false
  }

  #takeApplied(applied: Item): void {
    this.#done.add(applied.element)
    this.#push(this.#byElement.get(applied.element), applied.value)
    this.#appliedAt += 1
    if (this.#shared[0] === applied.element) this.#shared.shift()
  }

  #push(live: unknown, applied: unknown): void {
    const value = mergeObjects(this.#list.items, live, applied)
    if (value !== undefined) this.#merged.push(value)
  }
}

/** Items that share an element are not merged into: the applied one replaces them. */
function indexOf(items: readonly Item[]): Map<PathElement, unknown> {
  const found = new Map<PathElement, unknown>()
  for (const { element, value } of items) found.set(element, found.has(element) ? null : value)
  return found
}

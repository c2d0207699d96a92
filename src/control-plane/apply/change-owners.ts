/** What a write takes from other managers, and whether they mind. */
import type { JsonObject } from '../schema/json.ts'
import { type Comparison, compareObjects, ignoreFields, writtenFields } from './compare-objects.ts'
import { differenceOf, type FieldSet, intersectionOf, isEmptySet } from './field-set.ts'
import type { Managers } from './managed-fields.ts'
import type { Versions } from './versions.ts'

export interface Write {
  readonly before: JsonObject
  readonly after: JsonObject
  /** Of the request. */
  readonly apiVersion: string
  readonly versions: Versions
  /** Key of the manager who writes: it takes nothing from itself. */
  readonly self: string
}

export interface Effects {
  /** What changed, in the version of the request. */
  readonly comparison: Comparison
  /** By manager: its fields that the write changes. */
  readonly conflicts: ReadonlyMap<string, FieldSet>
  /** Everybody, after the write has taken what it changes and removes; the writer's own entry is as before. */
  readonly remaining: Managers
}

export function effectsOf(comparisons: Comparisons, managers: Managers): Effects {
  const conflicts = new Map<string, FieldSet>()
  const remaining: Managers = new Map()
  for (const [key, manager] of managers) {
    if (key === comparisons.self) {
      remaining.set(key, manager)
      continue
    }
    const comparison = comparisons.in(manager.apiVersion)
    if (comparison === undefined) continue
    const taken = intersectionOf(manager.set, writtenFields(comparison))
    if (!isEmptySet(taken)) conflicts.set(key, taken)
    const lost = intersectionOf(manager.set, comparison.removed)
    const left = [taken, lost].reduce((set, gone) => (isEmptySet(gone) ? set : differenceOf(set, gone)), manager.set)
    if (!isEmptySet(left)) remaining.set(key, manager.withSet(left))
  }
  return { comparison: comparisons.own, conflicts, remaining }
}

/** The write as each version of the kind sees it. @throws FieldsError */
export class Comparisons {
  /** In the version of the request. */
  readonly own: Comparison
  readonly #write: Write
  readonly #others = new Map<string, Comparison | undefined>()

  constructor(write: Write) {
    this.#write = write
    const own = this.#compare(write.apiVersion)
    if (own === undefined) throw new Error(`${write.apiVersion} is written through, so it is served`)
    this.own = own
  }

  get self(): string {
    return this.#write.self
  }

  in(apiVersion: string): Comparison | undefined {
    if (apiVersion === this.#write.apiVersion) return this.own
    if (!this.#others.has(apiVersion)) this.#others.set(apiVersion, this.#compare(apiVersion))
    return this.#others.get(apiVersion)
  }

  #compare(apiVersion: string): Comparison | undefined {
    const { before, after, versions } = this.#write
    const version = versions(apiVersion)
    if (version === undefined) return undefined
    return ignoreFields(compareObjects(version.type, version.convert(before), version.convert(after)), version.ignored)
  }
}

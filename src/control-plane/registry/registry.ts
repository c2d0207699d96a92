/** What is served: the built-in resources and those of established CRDs. */
import { isNewEvent } from './event-versions.ts'
import { storageName } from './kind-traits.ts'
import type { ResourceDefinition } from './resource-definition.ts'

export interface OwnerKind {
  readonly apiVersion: string
  readonly kind: string
}

export class Registry {
  readonly #builtin: readonly ResourceDefinition[]
  /** By name of the CRD. */
  readonly #custom = new Map<string, readonly ResourceDefinition[]>()
  readonly #byPath = new Map<string, ResourceDefinition>()
  readonly #byKind = new Map<string, ResourceDefinition>()
  readonly #byStorage = new Map<string, ResourceDefinition>()
  #all: readonly ResourceDefinition[] | undefined
  #epoch = 0

  constructor(builtin: readonly ResourceDefinition[]) {
    this.#builtin = builtin
    for (const definition of builtin) this.#index(definition)
  }

  /** Changes whenever what is served changes: a key for everything derived from `all()`. */
  get epoch(): number {
    return this.#epoch
  }

  /** Every served resource in every served version. */
  all(): readonly ResourceDefinition[] {
    this.#all ??= [...this.#builtin, ...[...this.#custom.values()].flat()]
    return this.#all
  }

  builtin(): readonly ResourceDefinition[] {
    return this.#builtin
  }

  find(group: string, version: string, plural: string): ResourceDefinition | undefined {
    return this.#byPath.get(`${group}/${version}/${plural}`)
  }

  /** By an object's own `apiVersion` and `kind`. */
  findKind({ apiVersion, kind }: OwnerKind): ResourceDefinition | undefined {
    return this.#byKind.get(`${apiVersion}/${kind}`)
  }

  /** One served version (the storage version when it is served) of a stored resource. */
  findStored(storage: string): ResourceDefinition | undefined {
    return this.#byStorage.get(storage)
  }

  /** One definition per stored resource: what walks over "everything" go through. */
  stored(): Iterable<ResourceDefinition> {
    return this.#byStorage.values()
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.all().some((definition) => definition.group === group && definition.version === version)
  }

  /** Serves (or replaces) the resources of a CRD. */
  register(crdName: string, definitions: readonly ResourceDefinition[]): void {
    this.#custom.set(crdName, definitions)
    this.#reindex()
  }

  unregister(crdName: string): void {
    if (this.#custom.delete(crdName)) this.#reindex()
  }

  #reindex(): void {
    this.#epoch += 1
    this.#all = undefined
    this.#byPath.clear()
    this.#byKind.clear()
    this.#byStorage.clear()
    for (const definition of this.all()) this.#index(definition)
  }

  #index(definition: ResourceDefinition): void {
    const { group, version, plural, kind } = definition
    this.#byPath.set(`${group}/${version}/${plural}`, definition)
    // Another resource of the same kind (a review, a subresource body) must not hide the one that is stored.
    const kindKey = group === '' ? `${version}/${kind}` : `${group}/${version}/${kind}`
    if (!this.#byKind.has(kindKey)) this.#byKind.set(kindKey, definition)
    if (!definition.verbs.includes('get')) return
    const storage = storageName(definition)
    const isStored = version === definition.storageVersion && !isNewEvent(definition)
    if (!this.#byStorage.has(storage) || isStored) this.#byStorage.set(storage, definition)
  }
}

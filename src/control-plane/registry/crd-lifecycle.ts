/**
 * The life of a CRD: names accepted or refused, served at once, withdrawn when it is gone.
 *
 * Deletion: `deletionTimestamp` is set and the cleanup finalizer added (delete-object.ts); here the instances are
 * deleted; when the last one is gone the finalizer goes, and the CRD with it. Every step follows an event of the store.
 */
import { isObject, type JsonObject } from '../schema/json.ts'
import type { Entry, StoreEvent } from '../store/entry.ts'
import { type Core, formatTime } from './core.ts'
import { CRD_CLEANUP, CRD_RESOURCE, type CrdCondition, setCrdCondition } from './crd-conditions.ts'
import { type CrdModules, loadCrdModules } from './crd-modules.ts'
import { deleteObject } from './delete-object.ts'
import { storageName } from './kind-traits.ts'
import type { ResourceDefinition, StoredObject } from './resource-definition.ts'

export class CrdLifecycle {
  #modules: CrdModules | undefined
  #loading: Promise<CrdModules> | undefined
  /** Text of the spec that is being served, by name of the CRD. */
  readonly #served = new Map<string, string>()

  /** Must have ended before a CRD is written. */
  async load(): Promise<void> {
    this.#loading ??= loadCrdModules()
    this.#modules = await this.#loading
  }

  modules(): CrdModules {
    if (this.#modules === undefined) throw new Error('a CRD is written before the code for it is loaded')
    return this.#modules
  }

  /** Serves what the store holds and follows it from then on. */
  async start(core: Core): Promise<void> {
    const crds = [...core.store.collection(CRD_RESOURCE).entries()]
    if (crds.length > 0) await this.load()
    core.store.onEvent((event) => this.#onEvent(core, event))
    for (const entry of crds) this.#sync(core, entry.key)
  }

  #onEvent(core: Core, event: StoreEvent): void {
    if (event.resource === CRD_RESOURCE) {
      if (event.type === 'DELETED') this.#withdraw(core, event.entry)
      else this.#sync(core, event.entry.key)
    } else if (event.type === 'DELETED' && this.#served.has(event.resource)) {
      this.#finish(core, event.resource)
    }
  }

  /** Works on what is stored now: the event may be older than that. */
  #sync(core: Core, name: string): void {
    const entry = core.store.get(CRD_RESOURCE, name)
    if (entry === undefined) return
    const crd = entry.copy()
    const accepted = acceptNames(core, crd)
    if (accepted) this.#serve(core, crd)
    if (JSON.stringify(crd['status']) !== JSON.stringify(entry.object['status'])) {
      core.store.put(CRD_RESOURCE, name, crd, entry)
    }
    if (crd.metadata.deletionTimestamp !== undefined) this.#deleteInstances(core, name)
  }

  #serve(core: Core, crd: StoredObject): void {
    const { name } = crd.metadata
    const spec = JSON.stringify(crd['spec'])
    if (this.#served.get(name) === spec) return
    core.registry.register(name, this.modules().definitionsOfCrd(crd))
    // Open watches show objects by the schema they began with.
    if (this.#served.has(name)) core.watches.endAll(name)
    this.#served.set(name, spec)
  }

  #withdraw(core: Core, entry: Entry): void {
    this.#served.delete(entry.key)
    core.registry.unregister(entry.key)
    core.watches.endAll(entry.key)
    // Its names may be what another one was waiting for.
    for (const { key } of core.store.collection(CRD_RESOURCE).entries()) {
      if (!this.#served.has(key)) this.#sync(core, key)
    }
  }

  #deleteInstances(core: Core, name: string): void {
    const definition = core.registry.findStored(name)
    if (definition !== undefined) {
      for (const entry of [...core.store.collection(name).entries()]) this.#deleteInstance(core, definition, entry)
    }
    this.#finish(core, name)
  }

  #deleteInstance(core: Core, definition: ResourceDefinition, entry: Entry): void {
    if (entry.object.metadata.deletionTimestamp !== undefined) return
    deleteObject(core, definition, entry)
  }

  /** The last instance is gone: nothing holds the CRD any more. */
  #finish(core: Core, name: string): void {
    const entry = core.store.get(CRD_RESOURCE, name)
    if (entry === undefined || entry.object.metadata.deletionTimestamp === undefined) return
    if (core.store.collection(name).size > 0) return
    const crd = entry.copy()
    const finalizers = (crd.metadata.finalizers ?? []).filter((finalizer) => finalizer !== CRD_CLEANUP)
    if (finalizers.length === (crd.metadata.finalizers ?? []).length && finalizers.length > 0) return
    if (finalizers.length === 0) {
      delete crd.metadata.finalizers
      core.store.remove(CRD_RESOURCE, entry, crd)
    } else {
      crd.metadata.finalizers = finalizers
      core.store.put(CRD_RESOURCE, name, crd, entry)
    }
  }
}

/** Sets the conditions and `acceptedNames` in place; answers whether the resource may be served. */
function acceptNames(core: Core, crd: StoredObject): boolean {
  const spec = isObject(crd['spec']) ? crd['spec'] : {}
  const names = isObject(spec['names']) ? spec['names'] : {}
  const clash = findClash(core, crd.metadata.name, String(spec['group']), names)
  const time = formatTime(core.now())
  const [accepted, established] = conditionsFor(clash)
  setCrdCondition(crd, accepted, time)
  const before = isEstablished(crd)
  // Once established it stays so: instances exist, and a later clash is the other one's fault.
  if (clash === undefined || !before) setCrdCondition(crd, established, time)
  if (clash === undefined) crd['status'] = { ...(crd['status'] as JsonObject), acceptedNames: names }
  return clash === undefined || before
}

function isEstablished(crd: StoredObject): boolean {
  const status = crd['status'] as { conditions?: CrdCondition[] } | undefined
  return status?.conditions?.some(({ type, status: state }) => type === 'Established' && state === 'True') ?? false
}

function conditionsFor(clash: Clash | undefined): [CrdCondition, CrdCondition] {
  if (clash === undefined) {
    return [
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      },
    ]
  }
  return [
    { type: 'NamesAccepted', status: 'False', reason: clash.reason, message: `"${clash.name}" is already in use` },
    { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
  ]
}

interface Clash {
  readonly name: string
  readonly reason: string
}

/** Within a group, resource names (plural, singular, short) are one set, kinds (kind, list kind) another. */
function findClash(core: Core, crdName: string, group: string, names: JsonObject): Clash | undefined {
  const others = core.registry.all().filter((other) => other.group === group && storageName(other) !== crdName)
  const resources = new Set(others.flatMap((other) => [other.plural, other.singular, ...other.shortNames]))
  const kinds = new Set(others.flatMap((other) => [other.kind, other.listKind]))
  const shortNames = Array.isArray(names['shortNames']) ? names['shortNames'] : []
  const wanted: Array<[unknown, string, ReadonlySet<string>]> = [
    [names['plural'], 'PluralConflict', resources],
    [names['singular'], 'SingularConflict', resources],
    ...shortNames.map((name): [unknown, string, ReadonlySet<string>] => [name, 'ShortNamesConflict', resources]),
    [names['kind'], 'KindConflict', kinds],
    [names['listKind'], 'ListKindConflict', kinds],
  ]
  const clash = wanted.find(([name, , taken]) => typeof name === 'string' && taken.has(name))
  return clash === undefined ? undefined : { name: String(clash[0]), reason: clash[1] }
}

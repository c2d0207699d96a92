/**
 * An entry as one served version shows it. Stored objects of a custom kind may have been written under an earlier
 * schema: they are pruned and defaulted when they are read, and made once per definition, not once per request.
 */
import { applyDefaults } from '../schema/default.ts'
import { pruneUnknown } from '../schema/prune.ts'
import { Entry } from '../store/entry.ts'
import { apiVersionOf } from './api-version.ts'
import { fromCoreEvent, isNewEvent, toCoreEvent } from './event-versions.ts'
import type { ResourceDefinition, StoredObject } from './resource-definition.ts'

interface View {
  readonly definition: ResourceDefinition
  readonly entry: Entry
}

const views = new WeakMap<Entry, View>()

export function viewOf(definition: ResourceDefinition, entry: Entry): Entry {
  if (isStoredForm(definition)) return entry
  const known = views.get(entry)
  if (known?.definition === definition) return known.entry
  if (entry.held !== undefined && written.get(entry.held) === definition) return entry
  const view = convert(definition, entry)
  views.set(entry, { definition, entry: view })
  return view
}

/** Built-in kinds are stored as their storage version shows them. */
function isStoredForm(definition: ResourceDefinition): boolean {
  return definition.origin === 'builtin' && definition.version === definition.storageVersion && !isNewEvent(definition)
}

/** Objects that were stored as this definition shows them. */
const written = new WeakMap<StoredObject, ResourceDefinition>()

/** Marks an object that is about to be stored through `definition`: it needs no conversion, not even for the first watcher. */
export function markWritten(definition: ResourceDefinition, object: StoredObject): void {
  if (definition.origin === 'custom' && definition.version === definition.storageVersion)
    written.set(object, definition)
}

/** The same object under the name of the version that is stored. */
export function toStorageVersion(definition: ResourceDefinition, object: StoredObject): StoredObject {
  if (isNewEvent(definition)) return toCoreEvent(object)
  if (definition.conversion !== undefined) return definition.conversion.toStorage(object)
  if (definition.version === definition.storageVersion) return object
  return { ...object, apiVersion: apiVersionOf(definition.group, definition.storageVersion) }
}

function convert(definition: ResourceDefinition, entry: Entry): Entry {
  if (isNewEvent(definition)) return converted(entry, fromCoreEvent(entry.copy()))
  if (definition.conversion !== undefined) return converted(entry, definition.conversion.fromStorage(entry.copy()))
  const object = entry.copy()
  object.apiVersion = apiVersionOf(definition.group, definition.version)
  if (definition.origin === 'custom') {
    if (definition.prune) pruneUnknown(definition.schema(), object, definition.resolve)
    applyDefaults(definition.schema(), object, definition.resolve)
  }
  return converted(entry, object)
}

function converted({ key, revision }: Entry, object: StoredObject): Entry {
  return new Entry(key, revision, JSON.stringify(object), object)
}

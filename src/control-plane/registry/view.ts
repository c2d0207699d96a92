/**
 * An entry as one served version shows it. Stored objects of a custom kind may have been written under an earlier
 * schema: they are pruned and defaulted when they are read, and made once per definition, not once per request.
 */
import { applyDefaults } from '../schema/default.ts'
import { pruneUnknown } from '../schema/prune.ts'
import { Entry } from '../store/entry.ts'
import { apiVersionOf } from './api-version.ts'
import type { ResourceDefinition, StoredObject } from './resource-definition.ts'

interface View {
  readonly definition: ResourceDefinition
  readonly entry: Entry
}

const views = new WeakMap<Entry, View>()

export function viewOf(definition: ResourceDefinition, entry: Entry): Entry {
  if (definition.origin === 'builtin' && definition.version === definition.storageVersion) return entry
  const known = views.get(entry)
  if (known?.definition === definition) return known.entry
  const view = convert(definition, entry)
  views.set(entry, { definition, entry: view })
  return view
}

/** Marks an entry that was just written through `definition`: it needs no conversion. */
export function markWritten(definition: ResourceDefinition, entry: Entry): void {
  if (definition.origin === 'custom' && definition.version === definition.storageVersion) {
    views.set(entry, { definition, entry })
  }
}

/** The same object under the name of the version that is stored. */
export function toStorageVersion(definition: ResourceDefinition, object: StoredObject): StoredObject {
  if (definition.version === definition.storageVersion) return object
  return { ...object, apiVersion: apiVersionOf(definition.group, definition.storageVersion) }
}

function convert(definition: ResourceDefinition, entry: Entry): Entry {
  const object = entry.copy()
  object.apiVersion = apiVersionOf(definition.group, definition.version)
  if (definition.origin === 'custom') {
    if (definition.prune) pruneUnknown(definition.schema(), object, definition.resolve)
    applyDefaults(definition.schema(), object, definition.resolve)
  }
  return new Entry(entry.key, entry.revision, JSON.stringify(object), object)
}

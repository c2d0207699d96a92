/**
 * Who owns what after a create, a PUT or a patch: what the write changed is its manager's, and nobody else's any more; what
 * it removed is nobody's. A write that changes nothing moves nothing.
 */
import { apiVersionOf } from '../registry/api-version.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { equalJson, type JsonObject } from '../schema/json.ts'
import { capUpdaters } from './cap-updaters.ts'
import { Comparisons, effectsOf } from './change-owners.ts'
import { isSame, writtenFields } from './compare-objects.ts'
import { emptyObject } from './empty-object.ts'
import { differenceOf, type FieldSet, isEmptySet, unionOf } from './field-set.ts'
import { followSchema } from './follow-schema.ts'
import { UNOWNED } from './ignored-fields.ts'
import { FieldsError } from './item-element.ts'
import {
  isReset,
  Manager,
  type ManagerId,
  type Managers,
  managerKey,
  readManagedFields,
  writeManagedFields,
} from './managed-fields.ts'
import { versionsOf } from './versions.ts'

/** The subresource of whose managers no times are kept. */
export const TIMELESS = 'scale'

export interface Updater {
  readonly registry: Pick<Registry, 'find'>
  readonly definition: ResourceDefinition
  readonly manager: string
  /** Empty for the object itself. */
  readonly subresource: string
  /** RFC 3339. */
  readonly now: string
}

export interface UpdatedObject {
  /** Absent on create. */
  readonly live?: StoredObject | undefined
  readonly next: StoredObject
  /** `metadata.managedFields` of the request's body; undefined when it says nothing. */
  readonly sent?: unknown
}

/** The `managedFields` of `next`; undefined for none. An object of which nothing is tracked stays so until it is applied. */
export function updateOwnership(updater: Updater, object: UpdatedObject): unknown[] | undefined {
  try {
    return ownersAfter(updater, object)
  } catch (error) {
    // The object breaks its own schema in a way that an update lets pass: then nobody can be said to own its parts.
    if (error instanceof FieldsError) return undefined
    throw error
  }
}

function ownersAfter(updater: Updater, object: UpdatedObject): unknown[] | undefined {
  const { live, next } = object
  const start = managersBefore(updater, object)
  if (start.managers.size === 0 && live !== undefined) return undefined
  const { definition, registry, subresource } = updater
  const apiVersion = apiVersionOf(definition.group, definition.version)
  const versions = versionsOf(registry, definition, subresource)
  const before = live === undefined ? emptyObject(definition) : comparable(live)
  const comparisons = new Comparisons({ before, after: comparable(next), apiVersion, versions, self: '' })
  if (isSame(comparisons.own) && start.stored !== undefined) return start.stored
  // The schemas of built-in kinds do not change.
  const managers = definition.origin === 'custom' ? followSchema(start.managers, versions) : start.managers
  const effects = effectsOf(comparisons, managers)
  const written = differenceOf(writtenFields(effects.comparison), UNOWNED)
  if (!isEmptySet(written)) addWritten(effects.remaining, updater, apiVersion, written)
  return writeManagedFields(capUpdaters(effects.remaining))
}

function addWritten(managers: Managers, updater: Updater, apiVersion: string, written: FieldSet): void {
  const { manager, subresource, now } = updater
  const id: ManagerId = { manager, operation: 'Update', apiVersion, subresource }
  const key = managerKey(id)
  const previous = managers.get(key)
  const set = previous === undefined ? written : unionOf(written, previous.set)
  managers.set(key, new Manager(id, subresource === TIMELESS ? previous?.time : now, set))
}

/** The list itself is not tracked. */
export function comparable(object: StoredObject): JsonObject {
  const { managedFields: _owners, ...metadata } = object.metadata
  return { ...object, metadata }
}

interface Start {
  readonly managers: Managers
  /** The stored list, when `managers` are those of it. */
  readonly stored: unknown[] | undefined
}

/** A client may change the list with a PUT or patch of the object; what it leaves out or garbles counts as not sent. */
function managersBefore({ subresource }: Updater, { live, sent }: UpdatedObject): Start {
  const list = live?.metadata.managedFields
  const stored: Start = { managers: readManagedFields(list, 'stored') ?? new Map(), stored: list }
  if (subresource !== '' || sent === undefined || sent === null) return stored
  if (isReset(sent)) return { managers: new Map(), stored: undefined }
  if (equalJson(sent, list)) return stored
  const managers = readManagedFields(sent, 'sent')
  return managers === undefined || managers.size === 0 ? stored : { managers, stored: undefined }
}

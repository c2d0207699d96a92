/** `metadata.managedFields` of an object that is being written. */
import { equalJson, isObject } from '../schema/json.ts'
import type { StoredObject } from './resource-definition.ts'

export interface OwnedChange {
  /** Absent on create. */
  readonly live?: StoredObject
  /** With its defaults, and without what the server adds on its own: that is nobody's. */
  readonly next: StoredObject
  /** `managedFields` in the body of the request; undefined when it says nothing of them. */
  readonly sent: unknown
}

/** Who owns what after the change; undefined for nobody. Writes of the server itself have none and leave all as it is. */
export type FieldOwners = (change: OwnedChange) => unknown[] | undefined

export function setOwners(object: StoredObject, owners: unknown[] | undefined): void {
  if (owners === undefined) delete object.metadata.managedFields
  else object.metadata.managedFields = owners
}

export function sentOwners(body: unknown): unknown {
  const metadata = isObject(body) ? body['metadata'] : undefined
  return isObject(metadata) ? metadata['managedFields'] : undefined
}

/** A write that changes nothing but times of `managedFields` is none: they are set back. */
export function keepTimes(next: StoredObject, live: StoredObject): void {
  const [owners, before] = [next.metadata.managedFields, live.metadata.managedFields]
  if (owners === before || owners === undefined || before === undefined || owners.length !== before.length) return
  if (equalJson(owners.map(withoutTime), before.map(withoutTime)) && equalJson(unowned(next), unowned(live))) {
    next.metadata.managedFields = before
  }
}

function withoutTime(entry: unknown): unknown {
  return isObject(entry) ? { ...entry, time: undefined } : entry
}

function unowned(object: StoredObject): unknown {
  return { ...object, metadata: { ...object.metadata, managedFields: undefined } }
}

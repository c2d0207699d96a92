/** `metadata.managedFields`: who owns which fields. Kept as JSON; an entry's set is read when it is needed. */
import { isObject, type JsonObject } from '../schema/json.ts'
import type { FieldSet } from './field-set.ts'
import { type Origin, parseFieldsV1, toFieldsV1 } from './fields-v1.ts'

export type Operation = 'Apply' | 'Update'

/** Who wrote, and how: one entry of the list. */
export interface ManagerId {
  readonly manager: string
  readonly operation: Operation
  readonly apiVersion: string
  /** Empty for the object itself. */
  readonly subresource: string
}

export class Manager implements ManagerId {
  readonly manager: string
  readonly operation: Operation
  readonly apiVersion: string
  readonly subresource: string
  /** Of the last change, RFC 3339. Absent for an apply that never changed the object. */
  readonly time: string | undefined
  readonly #set: FieldSet | undefined
  readonly #json: JsonObject | undefined
  #read: FieldSet | undefined

  /** `fields` is a set, or the canonical FieldsV1 of one, which is read when it is asked for. */
  constructor(id: ManagerId, time: string | undefined, fields: FieldSet | JsonObject) {
    this.manager = id.manager
    this.operation = id.operation
    this.apiVersion = id.apiVersion
    this.subresource = id.subresource
    this.time = time
    if (isFieldSet(fields)) this.#set = fields
    else this.#json = fields
  }

  get set(): FieldSet {
    if (this.#set !== undefined) return this.#set
    this.#read ??= parseFieldsV1(this.#json, 'stored')
    return this.#read
  }

  get applied(): boolean {
    return this.operation === 'Apply'
  }

  withSet(set: FieldSet): Manager {
    return set === this.set ? this : new Manager(this, this.time, set)
  }

  toJson(): JsonObject {
    return {
      manager: this.manager,
      operation: this.operation,
      apiVersion: this.apiVersion,
      ...(this.time === undefined ? {} : { time: this.time }),
      fieldsType: 'FieldsV1',
      fieldsV1: this.#json ?? toFieldsV1(this.set),
      ...(this.subresource === '' ? {} : { subresource: this.subresource }),
    }
  }
}

function isFieldSet(fields: FieldSet | JsonObject): fields is FieldSet {
  return typeof fields['member'] === 'boolean'
}

/** By `managerKey`. */
export type Managers = Map<string, Manager>

/** What tells managers apart. An applier keeps its identity when it goes on to another version of the kind. */
export function managerKey({ manager, operation, apiVersion, subresource }: ManagerId): string {
  return JSON.stringify({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  })
}

/** Undefined when the list is none that this server could have written. */
export function readManagedFields(list: unknown, origin: Origin): Managers | undefined {
  const managers: Managers = new Map()
  if (list === undefined || list === null) return managers
  if (!Array.isArray(list)) return undefined
  for (const entry of list) {
    const manager = readEntry(entry, origin)
    if (manager === undefined) return undefined
    managers.set(managerKey(manager), manager)
  }
  return managers
}

function readEntry(entry: unknown, origin: Origin): Manager | undefined {
  if (!isObject(entry)) return undefined
  const { manager = '', operation, apiVersion, fieldsType, fieldsV1 = {}, subresource = '', time } = entry
  if (operation !== 'Apply' && operation !== 'Update') return undefined
  if (typeof apiVersion !== 'string' || apiVersion === '' || fieldsType !== 'FieldsV1') return undefined
  if (typeof manager !== 'string' || typeof subresource !== 'string' || !isObject(fieldsV1)) return undefined
  const id: ManagerId = { manager, operation, apiVersion, subresource }
  const fields = origin === 'stored' ? fieldsV1 : readSentFields(fieldsV1)
  return fields && new Manager(id, typeof time === 'string' ? time : undefined, fields)
}

/** In canonical form; undefined for what is no set of fields. */
function readSentFields(fieldsV1: JsonObject): JsonObject | undefined {
  try {
    return toFieldsV1(parseFieldsV1(fieldsV1, 'sent'))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The list as it is stored: appliers first, then by time. Undefined when nobody owns anything. */
export function writeManagedFields(managers: Managers): JsonObject[] | undefined {
  if (managers.size === 0) return undefined
  return [...managers.values()].sort(compareManagers).map((manager) => manager.toJson())
}

function compareManagers(left: Manager, right: Manager): number {
  return (
    compareTexts(left.operation, right.operation) ||
    secondsOf(left.time) - secondsOf(right.time) ||
    compareTexts(left.manager, right.manager) ||
    compareTexts(left.apiVersion, right.apiVersion) ||
    compareTexts(left.subresource, right.subresource)
  )
}

export function secondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000)
}

export function compareTexts(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** `managedFields: []`, or one empty entry: the client gives up all tracking. */
export function isReset(list: unknown): boolean {
  if (!Array.isArray(list)) return false
  if (list.length === 0) return true
  return list.length === 1 && isObject(list[0]) && Object.values(list[0]).every((value) => value === null)
}

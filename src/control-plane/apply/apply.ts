/**
 * Server-side apply: lays what a manager wants over the live object, takes away what it wanted before and wants no more,
 * and refuses to change what others own unless it is told to take it over.
 */
import { ApiError, badRequest } from '../errors.ts'
import { apiVersionOf } from '../registry/api-version.ts'
import type { Registry } from '../registry/registry.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { cloneJson, equalJson, isObject, type JsonObject } from '../schema/json.ts'
import { Comparisons, effectsOf } from './change-owners.ts'
import { misfitsOf } from './check-applied.ts'
import type { Conflict } from './conflict-error.ts'
import { emptyObject } from './empty-object.ts'
import { differenceOf, type FieldSet, isEmptySet, pathsOf, withoutBranches } from './field-set.ts'
import { followSchema } from './follow-schema.ts'
import { UNOWNED } from './ignored-fields.ts'
import {
  Manager,
  type ManagerId,
  type Managers,
  managerKey,
  readManagedFields,
  writeManagedFields,
} from './managed-fields.ts'
import { mergeObjects } from './merge-objects.ts'
import { fieldsOf } from './object-fields.ts'
import { pruneFields } from './prune-fields.ts'
import { comparable, TIMELESS, updateOwnership } from './update-ownership.ts'
import { objectType } from './value-type.ts'
import { type KindVersion, type Versions, versionsOf } from './versions.ts'

export interface ApplyRequest {
  readonly registry: Pick<Registry, 'find'>
  readonly definition: ResourceDefinition
  /** As it is stored, in the version of the request; absent when the apply creates it. The result shares parts of it. */
  readonly live: StoredObject | undefined
  readonly applied: JsonObject
  readonly manager: string
  /** Take over what others own. */
  readonly force: boolean
  /** Empty for the object itself. */
  readonly subresource: string
  /** RFC 3339. */
  readonly now: string
}

export type ApplyOutcome =
  | { readonly kind: 'applied'; readonly object: JsonObject; readonly managedFields: unknown[] | undefined }
  | { readonly kind: 'conflict'; readonly conflicts: readonly Conflict[] }

/** Who owned what before anybody applied. */
const BEFORE_FIRST_APPLY = 'before-first-apply'

/** @throws ApiError 400 (another kind, owners in the body), 500 (fields that do not fit the schema); FieldsError */
export function applyServerSide(request: ApplyRequest): ApplyOutcome {
  const { definition, live, applied, registry, subresource } = request
  checkKind(definition, applied)
  const apiVersion = apiVersionOf(definition.group, definition.version)
  const versions = versionsOf(registry, definition, subresource)
  const version = versions(apiVersion)
  if (version === undefined) throw new Error(`${apiVersion} ${definition.plural} is applied to, so it is served`)
  checkFit(version.type, applied)
  const before = live === undefined ? cloneJson(emptyObject(definition)) : comparable(live)
  const managers = followSchema(managersOf(request), versions)
  return new Application({ request, versions, version, apiVersion, before, managers }).run()
}

function checkKind({ group, version, kind }: ResourceDefinition, applied: JsonObject): void {
  const stated = { apiVersion: textOf(applied['apiVersion']), kind: textOf(applied['kind']) }
  if (stated.apiVersion !== apiVersionOf(group, version) || stated.kind !== kind) {
    throw badRequest(`invalid object type: ${kindText(stated)}`)
  }
  const metadata = applied['metadata']
  if (isObject(metadata) && Array.isArray(metadata['managedFields'])) {
    throw badRequest('metadata.managedFields must be nil')
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function kindText({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}

/** Is the body of an apply an object of that kind? @throws ApiError 400, 500 */
export function checkApplied(definition: ResourceDefinition, applied: JsonObject): void {
  checkKind(definition, applied)
  checkFit(objectType(definition), applied)
}

function checkFit(type: KindVersion['type'], applied: JsonObject): void {
  const misfits = misfitsOf(type, applied)
  if (misfits === undefined) return
  const metadata = isObject(applied['metadata']) ? applied['metadata'] : {}
  const kind = kindText({ apiVersion: textOf(applied['apiVersion']), kind: textOf(applied['kind']) })
  const subject = `${textOf(metadata['namespace'])}/${textOf(metadata['name'])}; ${kind}`
  throw new ApiError(500, '', `failed to create typed patch object (${subject}): ${misfits}`)
}

/** All of an object that nobody has applied, nor is tracked, belongs to whoever wrote it before. */
function managersOf({ registry, definition, live, subresource, now }: ApplyRequest): Managers {
  const managers = readManagedFields(live?.metadata.managedFields, 'stored') ?? new Map()
  if (managers.size > 0 || live === undefined) return managers
  const list = updateOwnership({ registry, definition, manager: BEFORE_FIRST_APPLY, subresource, now }, { next: live })
  return readManagedFields(list, 'stored') ?? new Map()
}

interface Prepared {
  readonly request: ApplyRequest
  readonly versions: Versions
  readonly version: KindVersion
  readonly apiVersion: string
  readonly before: JsonObject
  readonly managers: Managers
}

class Application {
  readonly #prepared: Prepared
  readonly #id: ManagerId
  readonly #self: string

  constructor(prepared: Prepared) {
    const { request, apiVersion } = prepared
    this.#prepared = prepared
    this.#id = { manager: request.manager, operation: 'Apply', apiVersion, subresource: request.subresource }
    this.#self = managerKey(this.#id)
  }

  run(): ApplyOutcome {
    const { request, versions, version, apiVersion, before } = this.#prepared
    const stated = this.#statedFields()
    const managers = new Map(this.#prepared.managers)
    const last = managers.get(this.#self)
    managers.set(this.#self, new Manager(this.#id, last?.time, stated))
    const after = version.convert(pruneFields({ merged: this.#merge(), managers, last, versions }))
    const effects = effectsOf(new Comparisons({ before, after, apiVersion, versions, self: this.#self }), managers)
    if (!request.force && effects.conflicts.size > 0) {
      return { kind: 'conflict', conflicts: conflictsOf(effects.conflicts, managers) }
    }
    const keepsTime = request.subresource === TIMELESS || equalJson(before, after)
    this.#own(effects.remaining, stated, keepsTime ? last?.time : request.now)
    return { kind: 'applied', object: after, managedFields: writeManagedFields(effects.remaining) }
  }

  #statedFields(): FieldSet {
    const { request, version } = this.#prepared
    const stated = fieldsOf(version.type, request.applied)
    return version.ignored === undefined ? stated : withoutBranches(stated, version.ignored)
  }

  #merge(): JsonObject {
    const { request, version, before } = this.#prepared
    const merged = mergeObjects(version.type, before, request.applied)
    return isObject(merged) ? merged : {}
  }

  #own(managers: Managers, stated: FieldSet, time: string | undefined): void {
    const owned = differenceOf(stated, UNOWNED)
    if (isEmptySet(owned)) managers.delete(this.#self)
    else managers.set(this.#self, new Manager(this.#id, time, owned))
  }
}

function conflictsOf(conflicts: ReadonlyMap<string, FieldSet>, managers: Managers): Conflict[] {
  return [...conflicts.keys()].sort().flatMap((key) => {
    const manager = managers.get(key)
    const paths = pathsOf(conflicts.get(key) ?? { member: false, children: undefined })
    return manager === undefined ? [] : paths.map((path) => ({ manager, path }))
  })
}

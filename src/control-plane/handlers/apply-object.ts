/** `PATCH` with `application/apply-patch+yaml`: server-side apply. Creates what is not there. */
import { conflictError } from '../apply/conflict-error.ts'
import { applyForManager } from '../apply/last-applied.ts'
import { nullErrors } from '../apply/null-fields.ts'
import { badRequest, conflict, invalid, invalidOptions, notFound } from '../errors.ts'
import { formatTime } from '../registry/core.ts'
import { createObject } from '../registry/create-object.ts'
import type { FieldFindings } from '../registry/field-findings.ts'
import type { FieldOwners } from '../registry/field-owners.ts'
import { storageName } from '../registry/kind-traits.ts'
import { updateObject } from '../registry/update-object.ts'
import { viewOf } from '../registry/view.ts'
import type { Written } from '../registry/write-request.ts'
import { requiredError } from '../schema/field-error.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { type Entry, keyOf } from '../store/entry.ts'
import { type Answer, type ApiRequest, findingsOf, isDryRun } from './api-request.ts'
import { checkFieldManager } from './field-manager.ts'
import { parseJson, parseYaml, readBody } from './read-body.ts'
import { answerWritten, targetOf } from './write-object.ts'

interface ApplyOptions {
  readonly manager: string
  readonly force: boolean
  readonly findings: FieldFindings
  readonly dryRun: boolean
}

export async function handleApply(request: ApiRequest): Promise<Answer> {
  const { core, definition, namespace, name = '' } = request
  const options = applyOptionsOf(request)
  const applied = await readApplied(request, options.findings)
  // From here on nothing is awaited: no other write comes between the read and the write.
  const current = core.store.get(storageName(definition), keyOf(namespace, name))
  if (current === undefined && targetOf(request) !== 'object') throw notFound(definition, name)
  const written = writeApplied(request, { ...options, applied, current })
  const answer = await answerWritten(request, current === undefined ? 201 : 200, written)
  return { ...answer, warnings: options.findings.warnings() }
}

/** @throws ApiError 422 */
export function applyOptionsOf({ query }: ApiRequest): ApplyOptions {
  const manager = query.get('fieldManager') ?? ''
  const missing = manager === '' ? [requiredError('fieldManager', 'is required for apply patch')] : []
  const errors = [...missing, ...checkFieldManager(manager)]
  if (errors.length > 0) throw invalidOptions('PatchOptions', errors)
  const findings = findingsOf(query, 'PatchOptions')
  return { manager, force: isForced(query.get('force')), findings, dryRun: isDryRun(query, 'PatchOptions') }
}

function isForced(text: string | null): boolean {
  return text !== null && !['', '0', 'false'].includes(text.toLowerCase())
}

/** The body is YAML, of which JSON is a part. @throws ApiError 400, 413 */
export async function readApplied({ http }: ApiRequest, findings: FieldFindings): Promise<JsonObject> {
  const text = (await readBody(http)).toString('utf8')
  const applied = /^\s*\{/.test(text) ? parseJson(text, findings) : await parseYaml(text)
  if (!isObject(applied)) throw badRequest('error decoding YAML: the body of an apply is an object, and this is none')
  return applied
}

interface Apply extends ApplyOptions {
  readonly applied: JsonObject
  readonly current: Entry | undefined
}

function writeApplied(request: ApiRequest, apply: Apply): Written {
  const { core, definition, namespace, subresource = '' } = request
  const { applied, manager, force, current, findings, dryRun } = apply
  const live = current && viewOf(definition, current).copy()
  const now = formatTime(core.now())
  const { registry } = core
  const outcome = applyForManager({ registry, definition, live, applied, manager, force, subresource, now })
  if (outcome.kind === 'conflict') throw conflictError(outcome.conflicts)
  const owners: FieldOwners = () => outcome.managedFields
  const write = { definition, namespace, findings, dryRun, owners }
  refuseNulls(request, outcome.object)
  if (current === undefined) return createObject(core, write, newObject(request, outcome.object))
  return updateObject(core, { ...write, current, target: targetOf(request), isPatch: true }, outcome.object)
}

/** What is created. @throws ApiError 400 (another name), 409 (the caller expects an object that is gone) */
function newObject({ definition, name = '' }: ApiRequest, object: JsonObject): JsonObject {
  // A resourceVersion does not fence what is not there.
  const { resourceVersion: _any, ...metadata } = isObject(object['metadata']) ? object['metadata'] : {}
  const { name: stated, uid } = metadata
  if (typeof uid === 'string' && uid !== '') {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    throw conflict(definition, name, why)
  }
  if (stated === name) return { ...object, metadata }
  if (typeof stated === 'string' && stated !== '') {
    throw badRequest(`the name of the object (${stated}) does not match the name on the URL (${name})`)
  }
  throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
}

/** A built-in kind takes null for absent. @throws ApiError 422 */
function refuseNulls(request: ApiRequest, object: JsonObject): void {
  const { definition, name = '' } = request
  if (definition.origin === 'builtin') return
  const schema = definition.schema()
  const isStatus = targetOf(request) === 'status'
  const errors = isStatus
    ? nullErrors(schema.properties?.['status'] ?? {}, object['status'], 'status')
    : nullErrors(schema, object)
  if (errors.length > 0) throw invalid(definition, name, errors)
}

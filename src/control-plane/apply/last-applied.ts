/**
 * The way from client-side to server-side apply. `kubectl apply` keeps what it applied in an annotation; when the same
 * fields are then applied server-side by the manager `kubectl`, what the annotation states is no one else's to defend.
 */
import { apiVersionOf } from '../registry/api-version.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { canonicalJson, isObject, type JsonObject, own } from '../schema/json.ts'
import { type ApplyOutcome, type ApplyRequest, applyServerSide } from './apply.ts'
import { compareObjects } from './compare-objects.ts'
import { differenceOf, type FieldSet, hasPath } from './field-set.ts'
import { FieldsError } from './item-element.ts'
import { fieldsOf } from './object-fields.ts'
import { escapeHtml } from './path-element.ts'
import { comparable } from './update-ownership.ts'
import { objectType } from './value-type.ts'

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
/** Annotations of an object may be this long together, in UTF-8 bytes. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024

/** `applyServerSide`, and for the manager `kubectl` also what keeps the annotation in step. @throws as that does */
export function applyForManager(request: ApplyRequest): ApplyOutcome {
  const outcome = applyServerSide(request)
  if (request.manager !== 'kubectl') return outcome
  const settled = outcome.kind === 'conflict' ? settleConflicts(request, outcome) : outcome
  if (settled.kind === 'applied') refreshAnnotation(settled.object, request.applied)
  return settled
}

type ConflictOutcome = Extract<ApplyOutcome, { kind: 'conflict' }>

function settleConflicts(request: ApplyRequest, outcome: ConflictOutcome): ApplyOutcome {
  const allowed = request.live === undefined ? undefined : fieldsLastApplied(request, request.live)
  if (allowed === undefined) return outcome
  const conflicts = outcome.conflicts.filter(({ path }) => !hasPath(allowed, path))
  return conflicts.length > 0 ? { kind: 'conflict', conflicts } : applyServerSide({ ...request, force: true })
}

/** What the annotation states and the live object still has so. */
function fieldsLastApplied({ definition }: ApplyRequest, live: StoredObject): FieldSet | undefined {
  const last = parse(live.metadata.annotations?.[ANNOTATION])
  if (last === undefined || last['apiVersion'] !== apiVersionOf(definition.group, definition.version)) return undefined
  const type = objectType(definition)
  try {
    const { added, modified, removed } = compareObjects(type, last, comparable(live))
    return [modified, added, removed].reduce(differenceOf, fieldsOf(type, last))
  } catch (error) {
    if (error instanceof FieldsError) return undefined
    throw error
  }
}

/** Undefined for what is no JSON object: anybody may write annotations. */
function parse(text: string | undefined): JsonObject | undefined {
  if (text === undefined || text === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function refreshAnnotation(object: JsonObject, applied: JsonObject): void {
  const metadata = object['metadata']
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined
  if (!isObject(metadata) || !isObject(annotations)) return
  const present = own(annotations, ANNOTATION)
  if (typeof present !== 'string' || present === '') return
  const next = { ...annotations, [ANNOTATION]: `${escapeHtml(canonicalJson(withoutAnnotation(applied)))}\n` }
  const { [ANNOTATION]: _tooLong, ...others } = next
  object['metadata'] = { ...metadata, annotations: sizeOf(next) > MAX_ANNOTATIONS_BYTES ? others : next }
}

function sizeOf(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (size, [name, value]) => size + Buffer.byteLength(name) + Buffer.byteLength(String(value)),
    0,
  )
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const metadata = applied['metadata']
  if (!isObject(metadata) || !isObject(metadata['annotations'])) return applied
  const { [ANNOTATION]: _last, ...annotations } = metadata['annotations']
  const { annotations: _all, ...rest } = metadata
  return {
    ...applied,
    metadata: Object.keys(annotations).length === 0 ? rest : { ...rest, annotations },
  }
}

/** `PATCH`: JSON patch, merge patch, strategic merge patch; server-side apply is handed on. */
import { ApiError, badRequest, invalidOptions, unsupportedMediaType } from '../errors.ts'
import type { FieldFindings } from '../registry/field-findings.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { updateObject } from '../registry/update-object.ts'
import { viewOf } from '../registry/view.ts'
import { forbiddenError } from '../schema/field-error.ts'
import { isObject } from '../schema/json.ts'
import { type Answer, type ApiRequest, findingsOf, isDryRun } from './api-request.ts'
import { currentEntry } from './current-entry.ts'
import { ownersOf } from './field-manager.ts'
import { contentTypeOf, parseJson, readBody, SyntaxProblem } from './read-body.ts'
import { answerWritten, targetOf } from './write-object.ts'

export interface ApplyPatch {
  (document: object): unknown
  /** How findings about the result show the patch. Default: the result. */
  readonly print?: () => string
  /** The result shares nothing with the document. */
  readonly copies?: true
}

const JSON_PATCH = 'application/json-patch+json'
const MERGE_PATCH = 'application/merge-patch+json'
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json'
const APPLY_PATCH = 'application/apply-patch+yaml'

export async function handlePatch(request: ApiRequest): Promise<Answer> {
  if (isApply(request)) return await (await import('./apply-object.ts')).handleApply(request)
  const { core, definition, namespace, query } = request
  refuseForce(query)
  const findings = findingsOf(query, 'PatchOptions')
  const dryRun = isDryRun(query, 'PatchOptions')
  const apply = await readPatch(request, definition, findings)
  const owners = await ownersOf(request, 'PatchOptions')
  // From here on nothing is awaited: no other write comes between the read and the write.
  const current = currentEntry(request)
  const view = viewOf(definition, current)
  const body = patched(apply, apply.copies === true ? view.object : view.copy())
  const target = targetOf(request)
  const print = apply.print === undefined ? {} : { printPatch: apply.print }
  const write = { definition, namespace, findings, dryRun, owners, ...print }
  const written = updateObject(core, { ...write, current, target, isPatch: true }, body)
  return { ...(await answerWritten(request, 200, written)), warnings: findings.warnings() }
}

export function isApply({ http }: ApiRequest): boolean {
  return contentTypeOf(http) === APPLY_PATCH
}

/** Only an apply can take fields over. @throws ApiError 422 */
function refuseForce(query: URLSearchParams): void {
  if (!query.has('force')) return
  throw invalidOptions('PatchOptions', [forbiddenError('force', 'may not be specified for non-apply patch')])
}

/** The patch of the request as a function. @throws ApiError 400, 413, 415 */
export async function readPatch(
  { http }: ApiRequest,
  definition: ResourceDefinition,
  findings: FieldFindings,
): Promise<ApplyPatch> {
  const type = contentTypeOf(http)
  requirePatchType(type, definition)
  const patch = parsePatch((await readBody(http)).toString('utf8'), findings)
  return await applierOf(type, patch, definition)
}

function parsePatch(text: string, findings: FieldFindings): unknown {
  try {
    return parseJson(text, findings)
  } catch (error) {
    throw error instanceof SyntaxProblem ? badRequest(`error decoding patch: ${error.problem}`, error) : error
  }
}

function requirePatchType(type: string, definition: ResourceDefinition): void {
  // A custom kind has no merge keys: the real server refuses strategic patches of it too.
  const isCustom = definition.origin === 'custom'
  const accepted = isCustom ? [JSON_PATCH, MERGE_PATCH] : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH]
  if (accepted.includes(type)) return
  if (isCustom) throw unsupportedMediaType([...accepted, APPLY_PATCH])
  throw new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', { details: {} })
}

/** Kept: nearly every patch of a controller is one, and even a repeated import takes part of what the write takes. */
let mergePatch: Promise<typeof import('../patch/merge-patch.ts')> | undefined

async function applierOf(type: string, patch: unknown, definition: ResourceDefinition): Promise<ApplyPatch> {
  if (type === JSON_PATCH) {
    if (!Array.isArray(patch)) throw wrongPatch(patch, '[]handlers.jsonPatchOp')
    const { applyJsonPatch } = await import('../patch/json-patch.ts')
    return (document) => applyJsonPatch(document, patch)
  }
  if (!isObject(patch)) throw wrongPatch(patch, 'map[string]interface {}', type)
  if (type === MERGE_PATCH) {
    mergePatch ??= import('../patch/merge-patch.ts')
    const { applyMergePatch } = await mergePatch
    const apply = (document: object): unknown => applyMergePatch(document, patch)
    return Object.assign(apply, { copies: true as const })
  }
  const { applyStrategicMergePatch } = await import('../patch/strategic-merge-patch.ts')
  const { printMap } = await import('../patch/patch-text.ts')
  const apply = (document: object): unknown =>
    applyStrategicMergePatch(document, patch, definition.schema(), definition.resolve)
  return Object.assign(apply, { print: () => printMap(patch) })
}

function wrongPatch(patch: unknown, expected: string, type = ''): ApiError {
  const found = Array.isArray(patch) ? 'array' : typeof patch
  const said = type === STRATEGIC_PATCH ? '' : 'error decoding patch: '
  return badRequest(`${said}json: cannot unmarshal ${found} into Go value of type ${expected}`)
}

/** @throws ApiError 400, 413, 422 */
export function patched(apply: ApplyPatch, document: object): unknown {
  try {
    return apply(document)
  } catch (error) {
    throw isPatchError(error) ? patchRefused(error) : error
  }
}

interface PatchFailure {
  readonly code: 'Invalid' | 'BadRequest' | 'TestFailed'
  readonly status: number
  readonly message: string
}

/** By shape, so that the module of the error need not be loaded before the first patch. */
function isPatchError(error: unknown): error is PatchFailure & Error {
  return error instanceof Error && error.name === 'PatchError' && 'status' in error && 'code' in error
}

function patchRefused(error: PatchFailure): ApiError {
  const reasons: Readonly<Record<number, string>> = {
    400: 'BadRequest',
    413: 'RequestEntityTooLarge',
    422: 'Invalid',
  }
  // The real server keeps to itself which operation failed `[k8s jsonPatcher]`.
  if (error.status === 422) {
    return new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {
      details: {},
      cause: error,
    })
  }
  return new ApiError(error.status, reasons[error.status] ?? '', error.message, { cause: error })
}

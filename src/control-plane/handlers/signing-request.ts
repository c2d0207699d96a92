/**
 * CertificateSigningRequests: the server says who asks, and whoever may approve writes the conditions through a
 * subresource of its own, which leaves everything else as it is `[k8s certificates strategy]`.
 */
import { describeUser, type UserInfo } from '../auth/user.ts'
import { formatTime } from '../registry/core.ts'
import { createObject } from '../registry/create-object.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { updateObject } from '../registry/update-object.ts'
import { viewOf } from '../registry/view.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { type Answer, type ApiRequest, findingsOf, isDryRun, type OptionsKind } from './api-request.ts'
import { currentEntry } from './current-entry.ts'
import { ownersOf } from './field-manager.ts'
import { patched, readPatch } from './patch-object.ts'
import { readObject } from './read-body.ts'
import { answerWritten } from './write-object.ts'

export async function createSigningRequest(request: ApiRequest): Promise<Answer> {
  const { core, definition, namespace, query, http, user } = request
  const findings = findingsOf(query, 'CreateOptions')
  const dryRun = isDryRun(query, 'CreateOptions')
  const body = askedBy(user, await readObject(http, findings, definition.kind))
  const owners = await ownersOf(request, 'CreateOptions')
  const written = createObject(core, { definition, namespace, findings, dryRun, owners }, body)
  return { ...(await answerWritten(request, 201, written)), warnings: findings.warnings() }
}

/** Whatever the client says about that is dropped. */
function askedBy(user: UserInfo, body: unknown): unknown {
  if (!isObject(body) || !isObject(body['spec'])) return body
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = body['spec']
  return { ...body, spec: { ...spec, ...describeUser(user) } }
}

export async function updateApproval(request: ApiRequest): Promise<Answer> {
  const { definition, query, http } = request
  const findings = findingsOf(query, 'UpdateOptions')
  const body = await readObject(http, findings, definition.kind)
  return await writeApproval(request, 'UpdateOptions', () => body)
}

export async function patchApproval(request: ApiRequest): Promise<Answer> {
  const apply = await readPatch(request, request.definition, findingsOf(request.query, 'PatchOptions'))
  return await writeApproval(request, 'PatchOptions', (current) => patched(apply, current))
}

async function writeApproval(
  request: ApiRequest,
  options: OptionsKind,
  change: (current: StoredObject) => unknown,
): Promise<Answer> {
  const { core, definition, namespace, query } = request
  const findings = findingsOf(query, options)
  const dryRun = isDryRun(query, options)
  const owners = await ownersOf(request, options)
  // From here on nothing is awaited: no other write comes between the read and the write.
  const current = currentEntry(request)
  const view = viewOf(definition, current)
  const body = onlyConditions(change(view.copy()), view.object, formatTime(core.now()))
  const write = { definition, namespace, findings, dryRun, owners }
  const isPatch = options === 'PatchOptions'
  const written = updateObject(core, { ...write, current, target: 'status', isPatch }, body)
  return { ...(await answerWritten(request, 200, written)), warnings: findings.warnings() }
}

function onlyConditions(body: unknown, old: StoredObject, now: string): unknown {
  if (!isObject(body)) return body
  const before = isObject(old['status']) ? old['status'] : {}
  const { conditions } = isObject(body['status']) ? body['status'] : {}
  const { conditions: _replaced, ...kept } = before
  if (!Array.isArray(conditions))
    return { ...body, status: { ...kept, ...(conditions === undefined ? {} : { conditions }) } }
  const known = Array.isArray(before['conditions']) ? before['conditions'].filter(isObject) : []
  const dated = conditions.map((condition: unknown) =>
    isObject(condition) ? withTimes(condition, known, now) : condition,
  )
  return { ...body, status: { ...kept, conditions: dated } }
}

/** A condition that keeps its status keeps the time of its last transition. */
function withTimes(condition: JsonObject, known: readonly JsonObject[], now: string): JsonObject {
  const same = known.find(({ type, status }) => type === condition['type'] && status === condition['status'])
  return {
    ...condition,
    lastUpdateTime: condition['lastUpdateTime'] ?? now,
    lastTransitionTime: condition['lastTransitionTime'] ?? same?.['lastTransitionTime'] ?? now,
  }
}

/** `POST` and `PUT`. */
import { notFound } from '../errors.ts'
import { createObject } from '../registry/create-object.ts'
import { isCreatedByUpdate, storageName } from '../registry/kind-traits.ts'
import { type UpdateRequest, updateObject } from '../registry/update-object.ts'
import type { Written } from '../registry/write-request.ts'
import { Entry, keyOf } from '../store/entry.ts'
import { type Answer, type ApiRequest, findingsOf, isDryRun } from './api-request.ts'
import { answerObject } from './encode.ts'
import { ownersOf } from './field-manager.ts'
import { readObject } from './read-body.ts'

export async function handleCreate(request: ApiRequest): Promise<Answer> {
  const { core, definition, namespace, query, http } = request
  const findings = findingsOf(query, 'CreateOptions')
  const dryRun = isDryRun(query, 'CreateOptions')
  const body = await readObject(http, findings, definition.kind)
  const owners = await ownersOf(request, 'CreateOptions')
  const written = createObject(core, { definition, namespace, findings, dryRun, owners }, body)
  return { ...(await answerWritten(request, 201, written)), warnings: findings.warnings() }
}

export async function handleUpdate(request: ApiRequest): Promise<Answer> {
  const { core, definition, namespace, name = '', query, http } = request
  const findings = findingsOf(query, 'UpdateOptions')
  const dryRun = isDryRun(query, 'UpdateOptions')
  const body = await readObject(http, findings, definition.kind)
  const write = { definition, namespace, findings, dryRun, owners: await ownersOf(request, 'UpdateOptions') }
  const current = core.store.get(storageName(definition), keyOf(namespace, name))
  const target = targetOf(request)
  if (current === undefined) {
    if (target !== 'object' || !isCreatedByUpdate(definition)) throw notFound(definition, name)
    const created = createObject(core, write, body)
    return { ...(await answerWritten(request, 201, created)), warnings: findings.warnings() }
  }
  const written = updateObject(core, { ...write, current, target, isPatch: false }, body)
  return { ...(await answerWritten(request, 200, written)), warnings: findings.warnings() }
}

export function targetOf({ subresource }: ApiRequest): UpdateRequest['target'] {
  return subresource === 'status' || subresource === 'finalize' ? subresource : 'object'
}

/** An object that was not stored (dry run) is written out like one that was. */
export function answerWritten(request: ApiRequest, status: number, written: Written): Promise<Answer> {
  const { object, entry } = written
  return answerObject(
    request,
    status,
    entry ?? new Entry(keyOf(object.metadata.namespace, object.metadata.name), 0, dryRunText(object), undefined),
  )
}

function dryRunText(object: Written['object']): string {
  const { resourceVersion, ...metadata } = object.metadata
  return JSON.stringify({ ...object, metadata: resourceVersion === '' ? metadata : object.metadata })
}

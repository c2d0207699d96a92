/** `DELETE` of one object and of a selection. */
import { deleteObject } from '../registry/delete-object.ts'
import { isAnsweredWhenDeleted, storageName } from '../registry/kind-traits.ts'
import { viewOf } from '../registry/view.ts'
import { Entry } from '../store/entry.ts'
import { type Answer, type ApiRequest, jsonAnswer } from './api-request.ts'
import { currentEntry } from './current-entry.ts'
import { readDeleteOptions } from './delete-options.ts'
import { answerList, answerObject } from './encode.ts'
import { selectionOf } from './selection.ts'

export async function handleDelete(request: ApiRequest): Promise<Answer> {
  const { core, definition } = request
  const options = await readDeleteOptions(request)
  const current = currentEntry(request)
  const { outcome, object } = deleteObject(core, definition, current, options)
  if (outcome === 'pending' || isAnsweredWhenDeleted(definition)) {
    return await answerObject(request, 200, new Entry(current.key, current.revision, JSON.stringify(object)))
  }
  const { name, uid } = object.metadata
  return jsonAnswer(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(definition.group === '' ? {} : { group: definition.group }), kind: definition.plural, uid },
  })
}

/** Answers the objects as they were. */
export async function handleDeleteCollection(request: ApiRequest): Promise<Answer> {
  const { core, definition, namespace, query } = request
  const options = await readDeleteOptions(request)
  const matches = selectionOf(definition, query)
  const collection = core.store.collection(storageName(definition))
  const chosen = [...collection.entries(namespace === undefined ? '' : `${namespace}/`)].filter(
    (entry) => matches === undefined || matches(viewOf(definition, entry).object),
  )
  for (const entry of chosen) deleteObject(core, definition, entry, options)
  return await answerList(request, chosen, { resourceVersion: String(core.store.revision) })
}

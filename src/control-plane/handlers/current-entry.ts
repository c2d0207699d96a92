/** The stored object that a request names. */
import { notFound } from '../errors.ts'
import { storageName } from '../registry/kind-traits.ts'
import { type Entry, keyOf } from '../store/entry.ts'
import type { ApiRequest } from './api-request.ts'

/** @throws ApiError 404 */
export function currentEntry(request: ApiRequest): Entry {
  const { core, definition, namespace, name = '' } = request
  const entry = core.store.get(storageName(definition), keyOf(namespace, name))
  if (entry === undefined) throw notFound(definition, name)
  return entry
}

/**
 * What only the kubelet of a pod's node could answer: logs, exec, attach, port forwarding. There is none behind this
 * server; it refuses as the real one does whose node is not there or does not answer.
 */
import { badRequest, internalError, notFound } from '../errors.ts'
import { isObject } from '../schema/json.ts'
import type { Answer, ApiRequest } from './api-request.ts'
import { currentEntry } from './current-entry.ts'

/** @throws ApiError 404 (no such pod or node), 400 (on no node), 500 (nothing answers there) */
export async function askKubelet(request: ApiRequest): Promise<Answer> {
  const { core, definition, name = '', subresource = '' } = request
  const { spec } = currentEntry(request).object
  const node = isObject(spec) ? spec['nodeName'] : undefined
  if (typeof node !== 'string' || node === '') return withoutNode(name, subresource)
  // The real server names the resource that was asked for.
  if (core.store.get('nodes', node) === undefined) throw notFound(definition, node)
  throw internalError(
    `no kubelet answers on node ${node}, so there is nothing to ask for the ${subresource} of pod ${name}`,
  )
}

/** A pod that never ran has logged nothing. @throws ApiError 400 */
function withoutNode(name: string, subresource: string): Answer {
  if (subresource === 'log') return { status: 204, contentType: '', body: '' }
  throw badRequest(`pod ${name} does not have a host assigned`)
}

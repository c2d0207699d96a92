/** `POST pods/NAME/binding`: gives a pod to a node. */
import { ApiError, badRequest, conflict } from '../errors.ts'
import { formatTime } from '../registry/core.ts'
import { storageName } from '../registry/kind-traits.ts'
import type { ResourceDefinition, StoredObject } from '../registry/resource-definition.ts'
import { isObject } from '../schema/json.ts'
import { type Answer, type ApiRequest, isDryRun, jsonAnswer } from './api-request.ts'
import { currentEntry } from './current-entry.ts'
import { readObject } from './read-body.ts'

export async function handleBinding(request: ApiRequest): Promise<Answer> {
  const { core, definition, http, query, name = '' } = request
  const node = targetNode(await readObject(http), name)
  const current = currentEntry(request)
  const pod = current.copy()
  const spec = isObject(pod['spec']) ? pod['spec'] : {}
  requireUnbound(definition, pod, spec['nodeName'])
  pod['spec'] = { ...spec, nodeName: node }
  pod['status'] = withScheduled(pod['status'], formatTime(core.now()))
  if (!isDryRun(query, 'CreateOptions')) core.store.put(storageName(definition), current.key, pod, current)
  return jsonAnswer(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 })
}

/** @throws ApiError 400, 500 as the real server does for a missing target */
function targetNode(body: unknown, podName: string): string {
  const { metadata, target } = isObject(body) ? body : {}
  if (!isObject(metadata) || metadata['name'] !== podName) {
    throw badRequest('name in URL does not match name in Binding object')
  }
  const node = isObject(target) ? target['name'] : undefined
  if (typeof node !== 'string' || node === '') throw new ApiError(500, '', 'target.name: Required value')
  return node
}

/** @throws ApiError 409 */
function requireUnbound(definition: ResourceDefinition, { metadata }: StoredObject, node: unknown): void {
  const { name, deletionTimestamp } = metadata
  const binding = { group: definition.group, plural: `${definition.plural}/binding` }
  if (deletionTimestamp !== undefined) {
    throw conflict(binding, name, `pod ${name} is being deleted, cannot be assigned to a host`)
  }
  if (typeof node === 'string' && node !== '') {
    throw conflict(binding, name, `pod ${name} is already assigned to node "${node}"`)
  }
}

function withScheduled(status: unknown, time: string): Record<string, unknown> {
  const old = isObject(status) ? status : {}
  const conditions = Array.isArray(old['conditions']) ? old['conditions'] : []
  const others = conditions.filter((condition: unknown) => !isObject(condition) || condition['type'] !== 'PodScheduled')
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: time }
  return { ...old, conditions: [...others, scheduled] }
}

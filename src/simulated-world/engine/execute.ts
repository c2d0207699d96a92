/**
 * Carries out a plan, in order. Every write is fenced by what was observed; a write whose object has gone, or whose
 * namespace is going, is done.
 */
import type { KubeObject, ResourceType } from '../../api/resource.ts'
import { isKubeError } from '../../kube/errors.ts'
import type { Expectations } from '../../kube/expectations.ts'
import { fencedPatch, fencedStatusPatch, fenceOf } from '../../kube/fenced-patch.ts'
import { cacheOf } from './caches.ts'
import type { Random, WorldDeps } from './deps.ts'
import type { Action, BindPod, CreateObject, DeleteObject, PatchObject, PatchStatus, ReplaceObject } from './plan.ts'

export interface Execution {
  readonly deps: WorldDeps
  readonly expectations: Expectations
  /** The key of the pass: who waits for what it has written. */
  readonly key: string
  readonly fieldManager: string
  /** What this pass has patched, by UID. */
  readonly written: Map<string, KubeObject>
}

export async function executeActions(execution: Execution, actions: readonly Action[]): Promise<void> {
  for (const action of actions) await executeAction(execution, action)
}

function executeAction(execution: Execution, action: Action): Promise<void> {
  switch (action.kind) {
    case 'Create':
      return createOne(execution, action)
    case 'Delete':
      return deleteOne(execution, action)
    case 'Patch':
      return patchOne(execution, action)
    case 'PatchStatus':
      return patchStatus(execution, action)
    case 'Replace':
      return replaceOne(execution, action)
    case 'Bind':
      return bindOne(execution, action)
    default:
      return unknownAction(action)
  }
}

function unknownAction(action: never): never {
  throw new TypeError(`unknown action ${JSON.stringify(action)}`)
}

async function createOne({ deps, expectations, key, fieldManager }: Execution, action: CreateObject): Promise<void> {
  const { type } = action
  const object = named(action.object, deps.random)
  const { namespace, name = '' } = object.metadata
  const expected = { kind: type.kind, namespace, name }
  expectations.expectCreated(key, expected)
  try {
    expectations.settled(key, type.kind, await deps.client.create(type, object, { fieldManager }))
  } catch (error) {
    if (!isKubeError(error, 'Unreachable', 'Timeout')) expectations.withdraw(key, expected)
    if (!isNamespaceGoing(error)) throw error
  }
}

/** Characters that form no words. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'

function named(object: KubeObject, random: Random): KubeObject {
  const { generateName, ...metadata } = object.metadata
  if (generateName === undefined || metadata.name !== undefined) return object
  const suffix = Array.from({ length: 5 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('')
  return { ...object, metadata: { ...metadata, generateName, name: `${generateName.slice(0, 58)}${suffix}` } }
}

function isNamespaceGoing(error: unknown): boolean {
  if (isKubeError(error, 'NotFound')) return true
  return (
    isKubeError(error, 'Forbidden') &&
    (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  )
}

async function deleteOne({ deps, expectations, key }: Execution, action: DeleteObject): Promise<void> {
  const { type, object, gracePeriodSeconds } = action
  const { namespace, name = '' } = object.metadata
  const { uid } = fenceOf(object)
  const expected = { kind: type.kind, namespace, name, uid }
  if (object.metadata.deletionTimestamp === undefined) expectations.expectDeleted(key, expected)
  try {
    const options = gracePeriodSeconds === undefined ? { uid } : { uid, gracePeriodSeconds }
    await deps.client.delete(type, refOf(object), { ...options, propagationPolicy: 'Background' })
  } catch (error) {
    if (!isKubeError(error, 'Unreachable', 'Timeout')) expectations.withdraw(key, expected)
    // Another UID under the name: the one that was meant has gone.
    if (!isKubeError(error, 'NotFound', 'Conflict')) throw error
  }
}

async function patchOne(execution: Execution, action: PatchObject): Promise<void> {
  const { deps, fieldManager } = execution
  const { type, object, metadata, spec } = action
  const patch = fencedPatch<KubeObject & { spec?: object }>(latestOf(execution, object), {
    ...(metadata === undefined ? {} : { metadata }),
    ...(spec === undefined ? {} : { spec }),
  })
  if (patch === undefined) return
  await ignoringGone(async () => {
    record(execution, type, await deps.client.patch(type, refOf(object), patch, { fieldManager }))
  })
}

async function patchStatus(execution: Execution, action: PatchStatus): Promise<void> {
  const { deps, fieldManager } = execution
  const { type, object, status } = action
  const patch = fencedStatusPatch<object>(latestOf(execution, object), status)
  if (patch === undefined) return
  await ignoringGone(async () => {
    const options = { subresource: 'status', fieldManager } as const
    record(execution, type, await deps.client.patch(type, refOf(object), patch, options))
  })
}

/** What an action before this one, of the same pass, made of the object: that write was ours and is no conflict. */
function latestOf({ written }: Execution, object: KubeObject): KubeObject {
  return written.get(object.metadata.uid ?? '') ?? object
}

function record({ deps, written }: Execution, type: ResourceType, answer: KubeObject): void {
  written.set(answer.metadata.uid ?? '', answer)
  cacheOf(deps.caches, type.kind)?.record(answer)
}

async function replaceOne(execution: Execution, { type, object }: ReplaceObject): Promise<void> {
  const { deps, fieldManager } = execution
  await ignoringGone(async () => {
    record(execution, type, await deps.client.replace(type, object, { fieldManager }))
  })
}

async function bindOne({ deps }: Execution, { pod, node }: BindPod): Promise<void> {
  const { namespace = '', name = '', uid } = pod.metadata
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/binding`
  await ignoringGone(() =>
    deps.client.raw('POST', path, {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { namespace, name, uid },
      target: { apiVersion: 'v1', kind: 'Node', name: node },
    }),
  )
}

async function ignoringGone(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
  }
}

function refOf({ metadata: { namespace, name = '' } }: KubeObject): { name: string; namespace?: string } {
  return namespace === undefined ? { name } : { name, namespace }
}

/**
 * Our own finalizer on an object. The list is written as a whole and fenced: when somebody else adds or removes theirs
 * at the same time, the server answers 409 and nobody's finalizer is lost.
 */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { KubeClient, Patch } from './client.ts'
import { isKubeError } from './errors.ts'
import { fencedPatch } from './fenced-patch.ts'
import { refOf } from './request-path.ts'

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false
}

/** Undefined when it is there, or when the object is being deleted: the server refuses new finalizers then. */
export function addFinalizerPatch(object: KubeObject, finalizer: string): Patch | undefined {
  if (hasFinalizer(object, finalizer) || object.metadata.deletionTimestamp !== undefined) return undefined
  return fencedPatch(object, { metadata: { finalizers: [...(object.metadata.finalizers ?? []), finalizer] } })
}

/** Undefined when it is not there. */
export function removeFinalizerPatch(object: KubeObject, finalizer: string): Patch | undefined {
  if (!hasFinalizer(object, finalizer)) return undefined
  const others = object.metadata.finalizers?.filter((name) => name !== finalizer) ?? []
  return fencedPatch(object, { metadata: { finalizers: others } })
}

/**
 * Answers the object as it is afterwards; the same when there was nothing to do.
 * @throws KubeError `Conflict` when the object was changed since it was observed.
 */
export async function addFinalizer<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  object: T,
  finalizer: string,
): Promise<T> {
  const patch = addFinalizerPatch(object, finalizer)
  return patch === undefined ? object : client.patch(type, refOf(object), patch)
}

/**
 * Removing the last finalizer of a deleted object makes it vanish; that it has vanished already is fine too.
 * @throws KubeError `Conflict` when the object was changed since it was observed.
 */
export async function removeFinalizer<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  object: T,
  finalizer: string,
): Promise<void> {
  const patch = removeFinalizerPatch(object, finalizer)
  if (patch === undefined) return
  try {
    await client.patch(type, refOf(object), patch)
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error
  }
}

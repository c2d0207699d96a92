/** One object that may not be there. */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { KubeClient, ObjectRef } from './client.ts'
import { isKubeError } from './errors.ts'

/** Undefined: there is none. @throws KubeError for everything else that goes wrong */
export async function getIfPresent<T extends KubeObject>(
  client: Pick<KubeClient, 'get'>,
  type: ResourceType<T>,
  ref: ObjectRef,
): Promise<T | undefined> {
  try {
    return await client.get(type, ref)
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return undefined
    throw error
  }
}

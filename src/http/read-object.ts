/** One object of the API server, by a name that a caller gave. */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { KubeClient, ObjectRef } from '../kube/client.ts'
import { getIfPresent } from '../kube/get-if-present.ts'

/** What no object can be called is not asked for. */
export const OBJECT_NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/

/** Undefined: there is none. */
export async function readObject<T extends KubeObject>(
  client: KubeClient,
  type: ResourceType<T>,
  ref: ObjectRef,
): Promise<T | undefined> {
  if (!OBJECT_NAME.test(ref.name)) return undefined
  return await getIfPresent(client, type, ref)
}

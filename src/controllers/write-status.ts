/** The one way in which a controller writes the status of the object it planned for. */
import type { KubeObject, ResourceType } from '../api/resource.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/errors.ts'
import { fencedStatusPatch } from '../kube/fenced-patch.ts'
import { refOf } from '../kube/request-path.ts'

/** `gone`: the object was deleted, which ends whatever was planned for it. */
export type WriteResult = 'written' | 'unchanged' | 'gone'

export interface StatusWrite<T extends KubeObject> {
  readonly client: KubeClient
  readonly type: ResourceType<T>
  /** Hears the server's answer. */
  readonly record: (written: T) => void
}

/**
 * Fenced with the very object that was planned from; nothing is sent when nothing differs.
 * @throws KubeError: `Conflict` means that somebody wrote in between.
 */
export async function writeStatus<Status extends object, T extends KubeObject & { readonly status?: Status }>(
  { client, type, record }: StatusWrite<T>,
  planned: T,
  status: Status,
): Promise<WriteResult> {
  const patch = fencedStatusPatch(planned, status)
  if (patch === undefined) return 'unchanged'
  try {
    record(await client.patch(type, refOf(planned), patch, { subresource: 'status' }))
    return 'written'
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return 'gone'
    throw error
  }
}

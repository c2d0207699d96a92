/** Members in the state folder that no ClusterInstance stands for: their object went while nobody was there to see it. */
import { CLUSTER_INSTANCES } from '../../api/v1alpha1/resources.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Log } from '../../kube/log.ts'
import type { EmbeddedBackend } from './embedded-backend.ts'

export interface OrphanSweep {
  readonly backend: Pick<EmbeddedBackend, 'members' | 'destroyMember'>
  readonly client: KubeClient
  readonly log: Log
}

/**
 * Begins to destroy them; the launcher goes on by itself. Answers their names.
 * IMPORTANT: members are listed before instances are. An instance exists before its member is made, so a member that is in the
 * first list and not in the second was not made in between.
 */
export async function destroyOrphans({ backend, client, log }: OrphanSweep): Promise<readonly string[]> {
  const members = await backend.members()
  if (members.length === 0) return []
  const { items } = await client.list(CLUSTER_INSTANCES)
  const known = new Set(items.map(({ metadata }) => metadata.uid))
  const orphans = members.filter(({ uid }) => !known.has(uid))
  for (const orphan of orphans) {
    log.warn({ member: orphan.name, uid: orphan.uid }, 'destroying a member that no ClusterInstance stands for')
    await backend.destroyMember(orphan)
  }
  return orphans.map(({ name }) => name)
}

/** Why which members of a pool are outdated, read off the objects. */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { field } from '../../core/optional-field.ts'
import { explainMembers } from '../../core/pool/explain-members.ts'
import type { NoteView } from '../schemas/note.ts'
import type { PoolExplanation } from '../schemas/pool-explanation.ts'
import { stalledView } from './pool-view.ts'

export function poolExplanation(
  pool: ClusterPool,
  members: readonly ClusterInstance[],
  notes: NoteView[],
): PoolExplanation {
  const { status } = pool
  return {
    name: pool.metadata.name ?? '',
    ...field('specHash', status?.currentSpecHash),
    ...field('sources', status?.specHashSources),
    ...field('stalled', stalledView(pool)),
    members: explainMembers(pool, members).map(({ sources, changes, ...member }) => ({
      ...member,
      changedSources: [...sources],
      changes: [...changes],
    })),
    notes,
  }
}

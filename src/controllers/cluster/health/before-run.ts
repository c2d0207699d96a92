/**
 * What was wrong with the workloads when a run began. It stands on the NodeOperation, so that an operator that takes over in the
 * middle of the run does not take for old what the run has broken.
 */
import { Annotation } from '../../../api/v1alpha1/labels.ts'
import { NODE_OPERATIONS } from '../../../api/v1alpha1/resources.ts'
import type { KubeClient } from '../../../kube/client.ts'
import type { Sight } from './check.ts'

/** An annotation must stay small; what is left out counts as new. */
const MOST_WORKLOADS = 500

type Counts = ReadonlyMap<string, number>

export interface BeforeRuns {
  /** Without a run: what is wrong now. @throws KubeError */
  of(sight: Sight, now: Counts): Promise<Counts>
}

export function createBeforeRuns(client: KubeClient): BeforeRuns {
  /** By UID of the ManagedCluster: of its last run only. */
  const known = new Map<string, { readonly run: string; readonly counts: Counts }>()
  return {
    async of({ cluster }, now) {
      const holder = cluster.status?.operation
      if (holder === undefined) return now
      const key = cluster.metadata.uid ?? ''
      const remembered = known.get(key)
      if (remembered?.run === holder.uid) return remembered.counts
      const ref = { name: holder.name, namespace: cluster.metadata.namespace ?? '' }
      const { metadata } = await client.get(NODE_OPERATIONS, ref)
      const written = parsed(metadata.annotations?.[Annotation.troubledBefore])
      const counts = written ?? new Map([...now].slice(0, MOST_WORKLOADS))
      if (written === undefined) {
        const annotations = { [Annotation.troubledBefore]: JSON.stringify(Object.fromEntries(counts)) }
        const { uid, resourceVersion } = metadata
        await client.patch(NODE_OPERATIONS, ref, {
          type: 'merge',
          body: { metadata: { uid, resourceVersion, annotations } },
        })
      }
      known.set(key, { run: holder.uid, counts })
      return counts
    },
  }
}

/** Undefined for what nobody of ours has written. */
function parsed(text: string | undefined): Counts | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return undefined
    return new Map(Object.entries(value).map(([workload, pods]) => [workload, Number(pods) || 0]))
  } catch {
    return undefined
  }
}

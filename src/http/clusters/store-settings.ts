/** Writes wanted settings into a ManagedCluster. Each write is fenced by the version that was judged. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import { MANAGED_CLUSTERS } from '../../api/v1alpha1/resources.ts'
import type { AskedSettings, SettingsCheck } from '../../core/nodes/cluster-insight.ts'
import { isKubeError } from '../../kube/errors.ts'
import { fencedPatch } from '../../kube/fenced-patch.ts'
import { refOf } from '../../kube/request-path.ts'
import type { HttpContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { acceptedGroups, requireStorable } from './refusals.ts'

type Stores = Pick<HttpContext, 'deps' | 'clusters'>

const ATTEMPTS = 8

/** Stores only; nodes are left as they are. @throws ApiError: why not */
export async function keepSettings(
  context: Stores,
  cluster: ManagedCluster,
  settings: AskedSettings,
): Promise<ManagedCluster> {
  return await writeSettings(context, cluster, { settings, rollout: false }, requireStorable)
}

/**
 * `allow` is asked before each attempt, about the very version that is written to; it throws to refuse. So are the settings judged.
 */
export async function writeSettings(
  context: Stores,
  cluster: ManagedCluster,
  asked: SettingsCheck,
  allow: (current: ManagedCluster) => Promise<void> | void,
): Promise<ManagedCluster> {
  const { name = '', uid } = cluster.metadata
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const current = await context.clusters.read(name)
    // A cluster of the same name with another UID is another one.
    if (current === undefined || current.metadata.uid !== uid) throw new ApiError('cluster_not_found')
    await allow(current)
    const written = await tryWrite(context, current, await acceptedGroups(context, current, asked))
    if (written !== undefined) return written
  }
  throw new ApiError('conflict_retryable', {
    error: 'The cluster is changing too fast',
    detail: `${ATTEMPTS} attempts were overtaken by other writers; send the request again`,
  })
}

/** Undefined: another writer was first. */
async function tryWrite(
  { deps, clusters }: Stores,
  current: ManagedCluster,
  nodeGroups: ManagedCluster['spec']['nodeGroups'],
): Promise<ManagedCluster | undefined> {
  const patch = fencedPatch(current, { spec: { ...current.spec, nodeGroups } })
  if (patch === undefined) return current
  try {
    const written = await deps.client.patch(MANAGED_CLUSTERS, refOf(current), patch)
    clusters.wrote(written)
    return written
  } catch (error) {
    if (isKubeError(error, 'Conflict')) return undefined
    if (isKubeError(error, 'Invalid', 'BadRequest')) throw invalid(error.details.causes)
    throw error
  }
}

function invalid(causes: readonly { message?: string; field?: string }[] = []): ApiError {
  const detail = causes.map(({ field, message }) => `${field ?? ''}: ${message ?? ''}`).join('; ')
  return new ApiError('settings_refused', {
    detail: detail || 'the API server refused the settings',
    field: 'settings',
  })
}

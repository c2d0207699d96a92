/** Why a cluster does not take a request now, as answers. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { Refusal, SettingsCheck } from '../../core/nodes/cluster-insight.ts'
import { holderOf } from '../../core/nodes/held-cluster.ts'
import { refuseStoring } from '../../core/nodes/store-settings.ts'
import { field } from '../../core/optional-field.ts'
import type { HttpContext } from '../context.ts'
import { ApiError } from '../errors.ts'

/** @throws ApiError `cluster_busy`, naming the holder */
export function requireFree(cluster: ManagedCluster): void {
  const holder = holderOf(cluster)
  if (holder === undefined) return
  const detail = `operation ${holder.name} (${holder.type}) holds the cluster since ${holder.startedAt}: wait for its end, or cancel it`
  throw new ApiError('cluster_busy', { detail, field: 'cluster' })
}

/** Settings are stored in any state but these. @throws ApiError `cluster_busy`, `cluster_state_refused` */
export function requireStorable(cluster: ManagedCluster): void {
  requireFree(cluster)
  const refusal = refuseStoring(cluster)
  if (refusal !== undefined) throw new ApiError('cluster_state_refused', { detail: refusal.message, field: 'name' })
}

/**
 * Settings of a rollout, or of a store that nothing follows: the groups with them, as they are to be stored.
 * @throws ApiError `settings_refused`, `cluster_unreachable`
 */
export async function acceptedGroups(
  { deps }: Pick<HttpContext, 'deps'>,
  cluster: ManagedCluster,
  asked: SettingsCheck,
): Promise<ManagedCluster['spec']['nodeGroups']> {
  const { nodeGroups, refusals } = await deps.insight.judgeSettings(cluster, asked)
  if (refusals.length > 0) throw settingsRefused(refusals)
  return nodeGroups
}

/** What cannot be judged now outweighs the rest: the same request may be accepted later. */
function settingsRefused(refusals: readonly Refusal[]): ApiError {
  const passing = refusals.find(({ temporary }) => temporary === true)
  if (passing !== undefined)
    return new ApiError('cluster_unreachable', { detail: passing.message, retryAfterSeconds: 5 })
  const groups = new Set(refusals.map(({ group }) => group))
  const [only] = groups
  return new ApiError('settings_refused', {
    detail: refusals.map(({ message }) => message).join('; '),
    ...field('field', groups.size === 1 && only !== undefined ? `settings.${only}` : 'settings'),
  })
}

/** What the provider of a cluster says is wrong with the settings of its groups. */
import type { NodeGroup } from '../../api/v1alpha1/managed-cluster.ts'
import type { ProviderProblems } from '../../core/nodes/model.ts'
import type { ClusterTarget, Provider } from '../../providers/provider.ts'

/** By name of the group. Groups without settings are not asked for. @throws ProviderError */
export async function settingsProblems(
  provider: Provider | undefined,
  target: ClusterTarget,
  groups: readonly NodeGroup[],
): Promise<ProviderProblems> {
  if (provider === undefined) return new Map()
  const asked = groups.filter(({ settings }) => Object.keys(settings).length > 0)
  const answers = asked.map(
    async ({ name, type, settings }) => [name, await provider.validateSettings(target, type, settings)] as const,
  )
  return new Map(await Promise.all(answers))
}

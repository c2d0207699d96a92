/** Answers what is asked about standing clusters without changing them. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type {
  ClusterInsight,
  Refusal,
  RolloutPlan,
  RolloutRequest,
  SettingsCheck,
} from '../../core/nodes/cluster-insight.ts'
import type { Member, ProviderProblems } from '../../core/nodes/model.ts'
import { planRollout, withFindings } from '../../core/nodes/rollout-plan.ts'
import { settingsProblems as problemsWith, withSettings } from '../../core/nodes/store-settings.ts'
import { isProviderError } from '../../providers/provider.ts'
import { previewDrains } from '../node-operation/preview.ts'
import { BY_CLUSTER, type NodeDeps } from './deps.ts'
import { nodeRows } from './node-rows.ts'
import { NO_CAPABILITIES, type ObservedCluster, observeCluster } from './observe-cluster.ts'
import { settingsProblems } from './settings-problems.ts'

/** A session that was just opened needs a moment until its caches are filled. */
const FILLED_MS = 5_000
const LOOK_AGAIN_MS = 50

export function createClusterInsight(deps: NodeDeps): ClusterInsight {
  return {
    nodes: async (cluster) => {
      await filled(deps, cluster)
      return await nodeRows(deps, cluster)
    },
    checkSettings: (cluster, request) => checkSettings(deps, cluster, request),
    plan: (cluster, request) => plan(deps, cluster, request),
  }
}

/** Resolves when the caches of the cluster are filled, or when there is no use in waiting any longer. */
async function filled({ sessions, clock, log }: NodeDeps, cluster: ManagedCluster): Promise<void> {
  const until = clock.monotonic() + FILLED_MS
  try {
    const session = await sessions.of(cluster)
    while (!session.isCurrent() && clock.monotonic() < until) await clock.after(LOOK_AGAIN_MS)
  } catch (error) {
    log.debug({ ManagedCluster: cluster.metadata.name, err: error }, 'the API of the cluster cannot be reached')
  }
}

async function plan(deps: NodeDeps, cluster: ManagedCluster, request: RolloutRequest): Promise<RolloutPlan> {
  await filled(deps, cluster)
  const seen = await observeCluster(deps, cluster, { fresh: false })
  const { nodeGroups } = withSettings(cluster.spec.nodeGroups, request.settings ?? {})
  const told = await askProvider(seen, nodeGroups)
  const observed = {
    ...seen.facts,
    cluster,
    operations: operationsOf(deps, cluster),
    capabilities: seen.provider?.capabilities(seen.target.config) ?? NO_CAPABILITIES,
    freezes: [],
    problems: told.problems,
  }
  const found = planRollout(observed, request, deps.clock.now())
  const withProvider = told.refusal === undefined ? found : { ...found, refused: found.refused ?? told.refusal }
  return await withDrains(deps, { cluster, seen }, withProvider)
}

const operationsOf = ({ caches }: NodeDeps, { metadata }: ManagedCluster) =>
  caches.operations
    .byIndex(BY_CLUSTER, metadata.name ?? '')
    .filter((operation) => operation.metadata.namespace === metadata.namespace)

interface Subject {
  readonly cluster: ManagedCluster
  readonly seen: ObservedCluster
}

async function withDrains(deps: NodeDeps, { cluster, seen }: Subject, found: RolloutPlan): Promise<RolloutPlan> {
  const { session, facts } = seen
  if (session === undefined) return found
  const byName = new Map(facts.members.map((member) => [member.name, member]))
  const members = found.batches.flatMap(({ nodes }) =>
    nodes.flatMap(({ name }): Member[] => {
      const member = byName.get(name)
      return member === undefined ? [] : [member]
    }),
  )
  const { findings, notes } = await previewDrains(deps, { cluster, session, members })
  return withFindings(found, findings, notes)
}

async function checkSettings(
  deps: NodeDeps,
  cluster: ManagedCluster,
  { settings, rollout }: SettingsCheck,
): Promise<readonly Refusal[]> {
  const { nodeGroups, problems: unknown } = withSettings(cluster.spec.nodeGroups, settings)
  if (unknown.length > 0) return unknown
  const seen = await observeCluster(deps, cluster, { fresh: false })
  const told = await askProvider(seen, nodeGroups)
  if (told.refusal !== undefined) return [told.refusal]
  return problemsWith({ ...seen.facts, cluster }, { rollout, nodeGroups, problems: told.problems })
}

interface Told {
  readonly problems: ProviderProblems
  /** It could not be asked. */
  readonly refusal?: Refusal
}

async function askProvider(
  { provider, target, facts }: ObservedCluster,
  nodeGroups: ManagedCluster['spec']['nodeGroups'],
): Promise<Told> {
  const temporary = { reason: NodeReason.NoData, temporary: true }
  if (!facts.machinesKnown)
    return { problems: new Map(), refusal: { ...temporary, message: 'the machines could not be read: try again' } }
  try {
    return { problems: await settingsProblems(provider, target, nodeGroups) }
  } catch (error) {
    if (!isProviderError(error)) throw error
    const message = `the provider could not be asked about the settings: ${error.message}`
    return { problems: new Map(), refusal: { ...temporary, message } }
  }
}

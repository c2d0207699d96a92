/** Answers what is asked about standing clusters without changing them. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type {
  AskedSettings,
  ClusterInsight,
  JudgedSettings,
  Refusal,
  RolloutPlan,
  RolloutRequest,
  SettingsCheck,
} from '../../core/nodes/cluster-insight.ts'
import type { Member, ProviderProblems, Settings } from '../../core/nodes/model.ts'
import { planRollout, withFindings } from '../../core/nodes/rollout-plan.ts'
import { groupsToStore, settingsProblems as problemsWith } from '../../core/nodes/store-settings.ts'
import { field } from '../../core/optional-field.ts'
import type { Clock } from '../../kube/clock.ts'
import { objectKey } from '../../kube/object-key.ts'
import { isProviderError } from '../../providers/provider.ts'
import { createSharedTrials, type TryEvictions } from '../node-operation/drain/try-evictions.ts'
import { previewDrains } from '../node-operation/preview.ts'
import { BY_CLUSTER, type NodeDeps } from './deps.ts'
import { nodeRows } from './node-rows.ts'
import { NO_CAPABILITIES, type ObservedCluster, observeCluster } from './observe-cluster.ts'
import type { ClusterSession } from './sessions.ts'
import { settingsProblems } from './settings-problems.ts'

/** A session that was just opened needs a moment until its caches are filled. */
const FILLED_MS = 5_000

export function createClusterInsight(deps: NodeDeps): ClusterInsight {
  const waitedFor: Deadlines = new WeakMap()
  const tryAll = createSharedTrials(deps.clock)
  return {
    nodes: async (cluster) => {
      await filled(deps, waitedFor, cluster)
      return await nodeRows(deps, cluster)
    },
    judgeSettings: (cluster, asked) => judgeSettings(deps, cluster, asked),
    plan: async (cluster, request) => {
      await filled(deps, waitedFor, cluster)
      return await plan({ deps, tryAll }, cluster, request)
    },
  }
}

/** Until when a session is waited for, from its first look on: a cluster that does not answer is not waited for each time. */
type Deadlines = WeakMap<ClusterSession, number>

/** Resolves when the caches of the cluster are filled, or when there is no use in waiting any longer. */
async function filled(
  { sessions, clock, log }: NodeDeps,
  waitedFor: Deadlines,
  cluster: ManagedCluster,
): Promise<void> {
  try {
    const session = await sessions.of(cluster)
    const until = waitedFor.get(session) ?? clock.monotonic() + FILLED_MS
    waitedFor.set(session, until)
    const left = until - clock.monotonic()
    if (!session.isCurrent() && left > 0)
      await currentWithin(left, { sessions, clock, session, key: objectKey(cluster) })
  } catch (error) {
    log.debug({ ManagedCluster: cluster.metadata.name, err: error }, 'the API of the cluster cannot be reached')
  }
}

interface FilledSoon {
  readonly sessions: Pick<NodeDeps['sessions'], 'on'>
  readonly clock: Clock
  readonly session: ClusterSession
  readonly key: string
}

/** Resolves as soon as the session is current, at the latest after `ms`. */
function currentWithin(ms: number, { sessions, clock, session, key }: FilledSoon): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      stop()
      cancel()
      resolve()
    }
    const stop = sessions.on((cluster) => {
      if (cluster === key && session.isCurrent()) finish()
    })
    const cancel = clock.setTimer(ms, finish)
  })
}

interface Planner {
  readonly deps: NodeDeps
  readonly tryAll: TryEvictions
}

async function plan(planner: Planner, cluster: ManagedCluster, request: RolloutRequest): Promise<RolloutPlan> {
  const { deps } = planner
  const seen = await observeCluster(deps, cluster, { fresh: false })
  const told = await askProvider(seen, cluster, request.settings)
  const observed = {
    ...seen.facts,
    cluster,
    operations: operationsOf(deps, cluster),
    capabilities: seen.provider?.capabilities(seen.target.config) ?? NO_CAPABILITIES,
    freezes: [],
    problems: told.problems,
    ...field('clusterWide', told.clusterWide),
  }
  const found = planRollout(observed, request, deps.clock.now())
  const withProvider = told.refusal === undefined ? found : { ...found, refused: found.refused ?? told.refusal }
  return await withDrains(planner, { cluster, seen }, withProvider)
}

const operationsOf = ({ caches }: NodeDeps, { metadata }: ManagedCluster) =>
  caches.operations
    .byIndex(BY_CLUSTER, metadata.name ?? '')
    .filter((operation) => operation.metadata.namespace === metadata.namespace)

interface Subject {
  readonly cluster: ManagedCluster
  readonly seen: ObservedCluster
}

async function withDrains(
  { deps, tryAll }: Planner,
  { cluster, seen }: Subject,
  found: RolloutPlan,
): Promise<RolloutPlan> {
  const { session, facts } = seen
  if (session === undefined) return found
  const byName = new Map(facts.members.map((member) => [member.name, member]))
  const members = found.batches.flatMap(({ nodes }) =>
    nodes.flatMap(({ name }): Member[] => {
      const member = byName.get(name)
      return member === undefined ? [] : [member]
    }),
  )
  const { findings, notes } = await previewDrains(deps, { cluster, session, members }, tryAll)
  return withFindings(found, findings, notes)
}

async function judgeSettings(
  deps: NodeDeps,
  cluster: ManagedCluster,
  { settings, rollout }: SettingsCheck,
): Promise<JudgedSettings> {
  const seen = await observeCluster(deps, cluster, { fresh: false })
  const { refusal, problems, unknown, nodeGroups } = await askProvider(seen, cluster, settings)
  if (unknown.length > 0) return { nodeGroups, refusals: unknown }
  if (refusal !== undefined) return { nodeGroups, refusals: [refusal] }
  return { nodeGroups, refusals: problemsWith({ ...seen.facts, cluster }, { rollout, nodeGroups, problems }) }
}

interface Told {
  /** As they would be stored. */
  readonly nodeGroups: ManagedCluster['spec']['nodeGroups']
  readonly problems: ProviderProblems
  readonly clusterWide?: Settings
  /** Names neither a group nor a type. */
  readonly unknown: readonly Refusal[]
  /** It could not be asked. */
  readonly refusal?: Refusal
}

async function askProvider(
  { provider, target, facts }: ObservedCluster,
  { spec }: ManagedCluster,
  asked: AskedSettings | undefined,
): Promise<Told> {
  const { nodeGroups } = spec
  const unsure = (message: string): Told => {
    const refusal = { reason: NodeReason.NoData, temporary: true, message }
    return { nodeGroups, problems: new Map(), unknown: [], refusal }
  }
  if (!facts.machinesKnown) return unsure('the machines could not be read: try again')
  try {
    const clusterWide = asked === undefined ? undefined : await provider?.clusterSettings?.(target)
    const from = { members: facts.members, ...field('clusterWide', clusterWide) }
    const stored = asked === undefined ? { nodeGroups, problems: [] } : groupsToStore(nodeGroups, asked, from)
    const problems = await settingsProblems(provider, target, stored.nodeGroups)
    return { nodeGroups: stored.nodeGroups, problems, unknown: stored.problems, ...field('clusterWide', clusterWide) }
  } catch (error) {
    if (!isProviderError(error)) throw error
    return unsure(`the provider could not be asked about the settings: ${error.message}`)
  }
}

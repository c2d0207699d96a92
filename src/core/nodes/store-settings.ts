/** Whether wanted settings may be stored, and what is stored with them the first time [C]. For the imperative APIs. */
import type { NodeGroup, NodeSettings } from '../../api/v1alpha1/managed-cluster.ts'
import { ClusterState } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import { entryOf } from './cluster-state.ts'
import { holderOf, stateOf } from './held-cluster.ts'
import type { ManagedClusterObserved, Member, Settings } from './model.ts'
import { outOfDate, sameSet } from './out-of-date.ts'
import type { Problem } from './preflight.ts'
import { cannotLose } from './quorum.ts'
import { isStopped } from './run-facts.ts'

export interface SettingsRequest {
  /** Whether the nodes that exist are brought to them as well. */
  readonly rollout: boolean
  /** By name of the group; groups that are not named keep what they have. */
  readonly settings: ReadonlyMap<string, NodeSettings>
  /** What the provider says is wrong with them, by name of the group. */
  readonly problems: ReadonlyMap<string, readonly ProviderProblem[]>
}

/** Fits `SettingsProblem` of the provider interface. */
export interface ProviderProblem {
  readonly field: string
  readonly message: string
  readonly onlyForExisting: boolean
}

/** Why the request is refused, all reasons; empty: it is not. Nothing was touched. */
export function refuseSettings(observed: ManagedClusterObserved, request: SettingsRequest): Problem[] {
  const state = refuseState(observed, request)
  if (state !== undefined) return [state]
  return [...request.settings].flatMap(([name, settings]) => {
    const group = observed.cluster.spec.nodeGroups.find((candidate) => candidate.name === name)
    if (group === undefined) return [refused(`there is no node group ${name}`)]
    const members = observed.members.filter((member) => member.group === name)
    return RULES.flatMap((rule) => rule({ observed, request, group, settings, members }))
  })
}

const refused = (message: string): Problem => ({ reason: NodeReason.StateRefused, message })

/** Storing is fine in every state but while an operation holds the cluster, or it is being destroyed. */
function refuseState({ cluster }: ManagedClusterObserved, { rollout }: SettingsRequest): Problem | undefined {
  const holder = holderOf(cluster)
  if (holder !== undefined) {
    const message = `operation ${holder.name} (${holder.type}) holds the cluster: settings can be stored when it has ended`
    return { reason: NodeReason.ClusterBusy, message }
  }
  const state = stateOf(cluster)
  if (state === ClusterState.Destroying) return refused('the cluster is being destroyed')
  if (!rollout) return undefined
  const entry = entryOf('Rollout', state)
  return entry.allowed ? undefined : refused(entry.message)
}

interface Question {
  readonly observed: ManagedClusterObserved
  readonly request: SettingsRequest
  readonly group: NodeGroup
  readonly settings: NodeSettings
  readonly members: readonly Member[]
}

const RULES: readonly ((question: Question) => Problem[])[] = [
  function providerAgrees({ request, group }) {
    const problems = request.problems.get(group.name) ?? []
    return problems
      .filter(({ onlyForExisting }) => !onlyForExisting || request.rollout)
      .map(({ field, message }) => refused(`group ${group.name}: ${field}: ${message}`))
  },
  function noDiskShrinks({ request, group, settings, members }) {
    const size = settings.rootDiskSizeGB
    if (!request.rollout || size === undefined) return []
    const larger = members.find(({ machine }) => (machine?.settings.rootDiskSizeGB ?? 0) > size)
    if (larger === undefined) return []
    const has = larger.machine?.settings.rootDiskSizeGB
    return [refused(`group ${group.name}: the disk of ${larger.name} has ${has} GB and cannot shrink to ${size} GB`)]
  },
  function noDedicationGroupIsNamed({ group, settings, observed }) {
    const dedication = new Set(observed.members.flatMap(({ machine }) => machine?.dedicationGroups ?? []))
    const named = (settings.affinityGroups ?? []).filter((name) => dedication.has(name))
    return named.map((name) =>
      refused(`group ${group.name}: affinity group ${name} dedicates hosts and is kept by itself`),
    )
  },
  function noTypeThatCanLoseNoneIsRolled({ observed, request, group, settings, members }) {
    if (!request.rollout) return []
    const counts = { control: 0, worker: 0, etcd: 0 }
    for (const { type } of observed.members) counts[type] += 1
    const why = cannotLose(group.type, counts)
    if (why === undefined) return []
    // What differs already, or is stopped, is not made worse by it.
    const next = members.find(
      (member) => !isStopped(member) && !differs(member, group.settings) && differs(member, settings),
    )
    return next === undefined ? [] : [refused(`group ${group.name}: ${next.name} would have to be restarted: ${why}`)]
  },
]

const differs = ({ machine }: Member, settings: Settings): boolean => outOfDate(machine, settings).length > 0

/**
 * The groups of a cluster from before groups had settings of their own: each first gets those of the cluster, so that changing one
 * does not change the others; affinity groups that all of its nodes share are recorded. Images are never copied.
 */
export function firstSettings(
  groups: readonly NodeGroup[],
  clusterWide: Settings,
  members: readonly Member[],
): NodeGroup[] {
  return groups.map((group) => {
    const { offering, rootDiskSizeGB } = clusterWide
    const shared = sharedAffinity(members.filter((member) => member.group === group.name))
    return {
      ...group,
      settings: {
        ...(offering === undefined ? {} : { offering }),
        ...(rootDiskSizeGB === undefined ? {} : { rootDiskSizeGB }),
        ...(shared === undefined ? {} : { affinityGroups: [...shared] }),
        ...group.settings,
      },
    }
  })
}

function sharedAffinity(members: readonly Member[]): readonly string[] | undefined {
  const [first, ...others] = members.map(({ machine }) => machine?.settings.affinityGroups)
  if (first === undefined) return undefined
  return others.every((groups) => groups !== undefined && sameSet(groups, first)) ? first : undefined
}

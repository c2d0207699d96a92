/** Whether wanted settings may be stored, and what is stored with them the first time [C]. For the imperative APIs. */
import type { ManagedCluster, NodeGroup, NodeSettings } from '../../api/v1alpha1/managed-cluster.ts'
import { ClusterState } from '../../api/v1alpha1/node-phases.ts'
import { NodeReason } from '../../api/v1alpha1/node-reasons.ts'
import type { AskedSettings } from './cluster-insight.ts'
import { holderOf, stateOf } from './held-cluster.ts'
import type { ClusterFacts, ManagedClusterObserved, Member, ProviderProblems, Settings } from './model.ts'
import { outOfDate, sameSet } from './out-of-date.ts'
import type { Problem } from './preflight.ts'
import { cannotLose } from './quorum.ts'
import { isStopped } from './run-facts.ts'

export interface SettingsRequest {
  /** Whether the nodes that exist are brought to them as well. */
  readonly rollout: boolean
  /** The groups as they would be stored. */
  readonly nodeGroups: readonly NodeGroup[]
  readonly problems: ProviderProblems
}

/** A rule that settings break, and the group whose they are. */
export interface SettingsProblem extends Problem {
  readonly group?: string
}

/** `problems`: what names neither a group nor a type. */
export function withSettings(
  groups: readonly NodeGroup[],
  asked: AskedSettings,
): { readonly nodeGroups: NodeGroup[]; readonly problems: readonly Problem[] } {
  const names = new Set(groups.map(({ name }) => name))
  const types = new Set<string>(groups.map(({ type }) => type))
  const ofType = (type: string): NodeSettings => (names.has(type) ? {} : (asked[type] ?? {}))
  return {
    nodeGroups: groups.map((group) => ({
      ...group,
      settings: { ...group.settings, ...ofType(group.type), ...asked[group.name] },
    })),
    problems: Object.keys(asked)
      .filter((name) => !names.has(name) && !types.has(name))
      .map((name) => refused(`there is no node group or type ${name}`)),
  }
}

const refused = (message: string): Problem => ({ reason: NodeReason.SettingsRefused, message })

/** What is wrong with the settings that would be stored, all of it; empty: nothing is. Nothing was touched. */
export function settingsProblems(
  observed: ClusterFacts & Pick<ManagedClusterObserved, 'cluster'>,
  request: SettingsRequest,
): SettingsProblem[] {
  const before = new Map(observed.cluster.spec.nodeGroups.map(({ name, settings }) => [name, settings]))
  return request.nodeGroups.flatMap((group) => {
    const members = observed.members.filter((member) => member.group === group.name)
    const question = { observed, request, group, before: before.get(group.name) ?? {}, members }
    return RULES.flatMap((rule) => rule(question)).map((message) => ({
      ...refused(`group ${group.name}: ${message}`),
      group: group.name,
    }))
  })
}

/** Where a group gets its first settings from. */
export interface BeforeGroups {
  /** Of the cluster as a whole; absent: it has none, or its provider knows of none. */
  readonly clusterWide?: Settings
  readonly members: readonly Member[]
}

/**
 * The groups with what is asked for, as they are to be stored. Groups of a cluster none of which has settings of its own yet first
 * get what they have already.
 */
export function groupsToStore(
  groups: readonly NodeGroup[],
  asked: AskedSettings,
  { clusterWide = {}, members }: BeforeGroups,
): ReturnType<typeof withSettings> {
  const isBefore = groups.every(({ settings }) => Object.keys(settings).length === 0)
  return withSettings(isBefore ? firstSettings(groups, clusterWide, members) : groups, asked)
}

/** Why a rollout may not be bound to the settings that are stored, whoever stored them; empty: it may. */
export const refuseStored = (
  observed: ClusterFacts & Pick<ManagedClusterObserved, 'cluster'>,
  problems: ProviderProblems,
): Problem[] => settingsProblems(observed, { rollout: true, nodeGroups: observed.cluster.spec.nodeGroups, problems })

/** Storing is fine in every state but while an operation holds the cluster, or it is being destroyed. */
export function refuseStoring(cluster: ManagedCluster): Problem | undefined {
  const holder = holderOf(cluster)
  if (holder !== undefined) {
    const message = `operation ${holder.name} (${holder.type}) holds the cluster since ${holder.startedAt}: wait for its end, or cancel it`
    return { reason: NodeReason.ClusterBusy, message }
  }
  const isGoing = stateOf(cluster) === ClusterState.Destroying || cluster.metadata.deletionTimestamp !== undefined
  return isGoing ? { reason: NodeReason.StateRefused, message: 'the cluster is being destroyed' } : undefined
}

interface Question {
  readonly observed: ClusterFacts
  readonly request: SettingsRequest
  /** As it would be stored. */
  readonly group: NodeGroup
  readonly before: NodeSettings
  readonly members: readonly Member[]
}

/** What is wrong with the settings of one group, in words. */
const RULES: readonly ((question: Question) => string[])[] = [
  function providerAgrees({ request, group, members }) {
    const problems = request.problems.get(group.name) ?? []
    return problems
      .filter(({ field, onlyForExisting }) => {
        if (!onlyForExisting) return true
        // Said below, with the name of the node.
        if (field === 'rootDiskSizeGB' && shrunk(group, members) !== undefined) return false
        // Settings that the machines have already are no change.
        return request.rollout && members.some((member) => isChanged(member, group.settings, field))
      })
      .map(({ field, message }) => `${field}: ${message}`)
  },
  function noDiskShrinks({ request, group, members }) {
    const larger = request.rollout ? shrunk(group, members) : undefined
    if (larger === undefined) return []
    const size = group.settings.rootDiskSizeGB
    const has = larger.machine?.settings.rootDiskSizeGB
    return [`the disk of ${larger.name} has ${has} GB and cannot shrink to ${size} GB: want ${has} GB or more`]
  },
  function noDedicationGroupIsNamed({ request, group, observed }) {
    if (request.problems.get(group.name)?.some(({ field }) => field === 'affinityGroups')) return []
    const dedication = new Set(observed.members.flatMap(({ machine }) => machine?.dedicationGroups ?? []))
    const named = (group.settings.affinityGroups ?? []).filter((name) => dedication.has(name))
    return named.map((name) => `affinity group ${name} dedicates hosts and is kept by itself: leave it out`)
  },
  function noTypeThatCanLoseNoneIsRolled({ observed, request, group, before, members }) {
    if (!request.rollout) return []
    const counts = { control: 0, worker: 0, etcd: 0 }
    for (const { type } of observed.members) counts[type] += 1
    const why = cannotLose(group.type, counts)
    if (why === undefined) return []
    // What differs already, or is stopped, is not made worse by it.
    const next = members.find(
      (member) => !isStopped(member) && !differs(member, before) && differs(member, group.settings),
    )
    return next === undefined ? [] : [`${next.name} would have to be restarted: ${why}`]
  },
]

/** The first whose disk would shrink. */
function shrunk({ settings }: NodeGroup, members: readonly Member[]): Member | undefined {
  const { rootDiskSizeGB: size } = settings
  if (size === undefined) return undefined
  return members.find(({ machine }) => (machine?.settings.rootDiskSizeGB ?? 0) > size)
}

function isChanged({ machine }: Member, wanted: NodeSettings, field: keyof Settings): boolean {
  if (field === 'rootDiskSizeGB') return machine?.settings.rootDiskSizeGB !== wanted.rootDiskSizeGB
  return outOfDate(machine, { [field]: wanted[field] }).length > 0
}

const differs = ({ machine }: Member, settings: Settings): boolean => outOfDate(machine, settings).length > 0

/**
 * The groups of a cluster from before groups had settings of their own: each first gets those of the cluster, so that changing one
 * does not change the others; affinity groups that all of its nodes share are recorded. Images are never copied.
 */
function firstSettings(groups: readonly NodeGroup[], clusterWide: Settings, members: readonly Member[]): NodeGroup[] {
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

/** Why a pod cannot run on a node; the first reason counts. The texts are those of the real scheduler. */
import type { Node, Pod, PodAffinityTerm } from '../kinds.ts'
import { nodeMatches } from '../objects/node-affinity.ts'
import { quantityOf } from '../objects/numbers.ts'
import { conditionOf } from '../objects/pods.ts'
import { selectorMatches } from '../objects/selector.ts'
import { isTolerated, NO_SCHEDULE, UNSCHEDULABLE_TAINT, untolerated } from '../objects/taints.ts'

export interface NodeLoad {
  readonly node: Node
  /** Pods on it that use room: bound, not finished. */
  readonly pods: readonly Pod[]
}

export interface FilterInput {
  readonly pod: Pod
  readonly load: NodeLoad
  readonly all: readonly NodeLoad[]
  /** `guardsOf(all)` */
  readonly guards: readonly Pod[]
}

/** Answers why not, none when it fits. */
type Filter = (input: FilterInput) => readonly string[]

const FILTERS: readonly Filter[] = [
  unschedulable,
  notReady,
  untoleratedTaint,
  otherNodes,
  resources,
  podAffinity,
  podAntiAffinity,
  topologySpread,
]

export function whyNot(input: FilterInput): readonly string[] {
  for (const filter of FILTERS) {
    const reasons = filter(input)
    if (reasons.length > 0) return reasons
  }
  return []
}

function unschedulable({ pod, load }: FilterInput): string[] {
  const taint = { key: UNSCHEDULABLE_TAINT, effect: NO_SCHEDULE }
  const closed = load.node.spec?.unschedulable === true && !isTolerated(taint, pod.spec.tolerations)
  return closed ? ['node(s) were unschedulable'] : []
}

/** Between a node's trouble and its taint lies a moment; daemons are pinned to their node and do not wait for it. */
function notReady({ pod, load }: FilterInput): string[] {
  const ready = conditionOf(load.node.status?.conditions, 'Ready')?.status === 'True'
  const taint = { key: 'node.kubernetes.io/not-ready', effect: NO_SCHEDULE }
  return ready || isTolerated(taint, pod.spec.tolerations) ? [] : ['node(s) were not ready']
}

function untoleratedTaint({ pod, load }: FilterInput): string[] {
  const taint = untolerated(load.node.spec?.taints, pod.spec.tolerations)
  return taint === undefined ? [] : [`node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`]
}

function otherNodes({ pod, load }: FilterInput): string[] {
  return nodeMatches(pod.spec, load.node) ? [] : ["node(s) didn't match Pod's node affinity/selector"]
}

/** The largest of the sum of containers and each init container. */
export function requestOf({ spec }: Pod, resource: string): number {
  const of = (container: { readonly resources?: { readonly requests?: Readonly<Record<string, string>> } }) =>
    quantityOf(container.resources?.requests?.[resource])
  const sum = spec.containers.reduce((total, container) => total + of(container), 0)
  return Math.max(sum, ...(spec.initContainers ?? []).map(of))
}

export function freeOn({ node, pods }: NodeLoad, resource: string): number {
  const used = pods.reduce((sum, pod) => sum + requestOf(pod, resource), 0)
  return quantityOf(node.status?.allocatable?.[resource]) - used
}

/** Unlike the others it tells all that is missing. */
function resources({ pod, load }: FilterInput): string[] {
  const most = quantityOf(load.node.status?.allocatable?.['pods'] ?? '110')
  const crowded = load.pods.length + 1 > most ? ['Too many pods'] : []
  const short = ['cpu', 'memory', 'ephemeral-storage'].filter((resource) => {
    const request = requestOf(pod, resource)
    return request > 0 && request > freeOn(load, resource)
  })
  return [...crowded, ...short.map((resource) => `Insufficient ${resource}`)]
}

function podAffinity({ pod, load, all }: FilterInput): string[] {
  const terms = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
  const isMet = (term: PodAffinityTerm): boolean => {
    if (podsInDomain(term, load, all).some((other) => isMeant(term, pod, other))) return true
    // The first pod of a group that asks for its own company may go anywhere.
    const anyWhere = all.some(({ pods }) => pods.some((other) => isMeant(term, pod, other)))
    return !anyWhere && isMeant(term, pod, pod)
  }
  return terms.every(isMet) ? [] : ["node(s) didn't match pod affinity rules"]
}

function antiAffinityOf({ spec }: Pod): readonly PodAffinityTerm[] {
  return spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
}

/** Pods that keep others away: found once for all nodes, as most clusters have few. */
export function guardsOf(all: readonly NodeLoad[]): readonly Pod[] {
  return all.flatMap(({ pods }) => pods.filter((pod) => antiAffinityOf(pod).length > 0))
}

function podAntiAffinity({ pod, load, all, guards }: FilterInput): string[] {
  const near = (term: PodAffinityTerm) => podsInDomain(term, load, all)
  if (antiAffinityOf(pod).some((term) => near(term).some((other) => isMeant(term, pod, other)))) {
    return ["node(s) didn't match pod anti-affinity rules"]
  }
  const refused = guards.some((other) =>
    antiAffinityOf(other).some((term) => isMeant(term, other, pod) && near(term).includes(other)),
  )
  return refused ? ["node(s) didn't satisfy existing pods anti-affinity rules"] : []
}

function isMeant({ labelSelector, namespaces }: PodAffinityTerm, owner: Pod, other: Pod): boolean {
  const within = namespaces === undefined || namespaces.length === 0 ? [owner.metadata.namespace ?? ''] : namespaces
  return within.includes(other.metadata.namespace ?? '') && selectorMatches(labelSelector, other.metadata.labels)
}

function domainOf({ node }: NodeLoad, topologyKey: string): string | undefined {
  return node.metadata.labels?.[topologyKey]
}

function podsInDomain({ topologyKey }: { topologyKey: string }, load: NodeLoad, all: readonly NodeLoad[]): Pod[] {
  const domain = domainOf(load, topologyKey)
  if (domain === undefined) return []
  return all.filter((one) => domainOf(one, topologyKey) === domain).flatMap(({ pods }) => pods)
}

/** Domains are those of the nodes that the pod asks for, as the real one counts them by default. */
function topologySpread({ pod, load, all }: FilterInput): string[] {
  const hard = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  )
  const isMet = hard.every(({ topologyKey, labelSelector, maxSkew }) => {
    const domain = domainOf(load, topologyKey)
    if (domain === undefined) return false
    const counts = new Map<string, number>()
    for (const one of all.filter(({ node }) => nodeMatches(pod.spec, node))) {
      const name = domainOf(one, topologyKey)
      if (name === undefined) continue
      const here = one.pods.filter(
        (other) => isPeer(pod, other) && selectorMatches(labelSelector, other.metadata.labels),
      )
      counts.set(name, (counts.get(name) ?? 0) + here.length)
    }
    return (counts.get(domain) ?? 0) + 1 - Math.min(...counts.values()) <= maxSkew
  })
  return isMet ? [] : ["node(s) didn't match pod topology spread constraints"]
}

function isPeer(pod: Pod, other: Pod): boolean {
  return other.metadata.namespace === pod.metadata.namespace && other.metadata.deletionTimestamp === undefined
}

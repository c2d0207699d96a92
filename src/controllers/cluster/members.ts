/** Machines with their Nodes, each in its group. */
import type { Node } from '../../api/core-resources.ts'
import { Annotation } from '../../api/v1alpha1/labels.ts'
import type { ManagedCluster, NodeType } from '../../api/v1alpha1/managed-cluster.ts'
import type { Cordon, Member, NodeFacts } from '../../core/nodes/model.ts'
import { fits } from '../../core/nodes/run-facts.ts'
import { field } from '../../core/optional-field.ts'
import type { Machine } from '../../providers/provider.ts'

const CONTROL_LABEL = 'node-role.kubernetes.io/control-plane'
const ZONE_LABEL = 'topology.kubernetes.io/zone'

export interface Grouped {
  readonly members: readonly Member[]
  /** Names of nodes and machines that fit no group. */
  readonly ungrouped: readonly string[]
  /** Those of them that are machines. */
  readonly ungroupedMachines: readonly string[]
}

/** The name of the mark of a run on the Nodes of this cluster: CloudStack has a name of its own for it [C]. */
export function markAnnotation({ spec }: ManagedCluster): string {
  return spec.provider.type === 'cloudstack' ? Annotation.cloudstackRolloutBootId : Annotation.rolloutBootId
}

export interface Seen {
  readonly machines: readonly Machine[]
  readonly nodes: readonly Node[]
  /** Name of the Node that this process runs on. */
  readonly ownNode?: string
}

export function groupMembers(cluster: ManagedCluster, { machines, nodes, ownNode }: Seen): Grouped {
  const left = new Map(nodes.map((node) => [node.metadata.name ?? '', node]))
  const byProviderId = new Map(nodes.map((node) => [node.spec?.providerID ?? '', node.metadata.name ?? '']))
  const mark = markAnnotation(cluster)
  const withMachine = machines.map((machine) => {
    const nodeName = machine.nodeName ?? byProviderId.get(machine.providerID ?? ' ') ?? ''
    const node = left.get(nodeName)
    left.delete(nodeName)
    return bareMember({ name: nodeName || machine.name, type: machine.type, machine }, node, { mark, ownNode })
  })
  const alone = [...left].map(([name, node]) => bareMember({ name, type: typeOf(node) }, node, { mark, ownNode }))
  return inGroups(cluster, [...withMachine, ...alone])
}

type Bare = Omit<Member, 'group'>

function bareMember(
  bare: Pick<Bare, 'name' | 'type' | 'machine'>,
  node: Node | undefined,
  { mark, ownNode }: { mark: string; ownNode: string | undefined },
): Bare {
  return {
    ...bare,
    ...field('zone', bare.machine?.zone ?? node?.metadata.labels?.[ZONE_LABEL]),
    ...field('node', node === undefined ? undefined : nodeFacts(node, mark, ownNode)),
  }
}

/** A node belongs to the first group of its type that fits it. */
function inGroups({ spec }: ManagedCluster, bare: readonly Bare[]): Grouped {
  const members: Member[] = []
  const ungrouped: string[] = []
  const ungroupedMachines: string[] = []
  for (const one of bare) {
    const group = spec.nodeGroups.find(
      ({ type, selector }) => type === one.type && fits(selector, { ...one, group: '' }),
    )
    if (group === undefined) {
      ungrouped.push(one.name)
      if (one.machine !== undefined) ungroupedMachines.push(one.name)
    } else members.push({ ...one, group: group.name })
  }
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1)
  return {
    members: members.toSorted(byName),
    ungrouped: ungrouped.toSorted(),
    ungroupedMachines: ungroupedMachines.toSorted(),
  }
}

function typeOf({ metadata }: Node): NodeType {
  return metadata.labels?.[CONTROL_LABEL] === undefined ? 'worker' : 'control'
}

function nodeFacts({ metadata, spec, status }: Node, mark: string, ownNode: string | undefined): NodeFacts {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    labels: metadata.labels ?? {},
    ready,
    bootId: status?.nodeInfo?.bootID ?? '',
    cordon: cordonOf(spec?.unschedulable === true, metadata.annotations),
    ...field('mark', metadata.annotations?.[mark]),
    ...(metadata.annotations?.[Annotation.doNotDisrupt] === undefined ? {} : { doNotDisrupt: true }),
    ...(ownNode !== undefined && metadata.name === ownNode ? { holdsOperator: true } : {}),
  }
}

/** An annotation of ours on a node that is not cordoned says nothing: somebody else has uncordoned it. */
function cordonOf(unschedulable: boolean, annotations: Readonly<Record<string, string>> = {}): Cordon {
  if (!unschedulable) return 'none'
  return annotations[Annotation.cordonedBy] === undefined ? 'foreign' : 'ours'
}

/** The nodes that a simulated world begins with. */
import { NODE_ANNOTATIONS } from './annotations.ts'
import type { Node, Taint } from './kinds.ts'

export interface NodeSpec {
  readonly name: string
  /** Added to the usual ones. */
  readonly labels?: Readonly<Record<string, string>>
  /** Such as the script of the node. */
  readonly annotations?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  /** Default `topology.kubernetes.io/zone` is absent. */
  readonly zone?: string
  readonly providerID?: string
  /** Quantities; default 4 CPUs, 16Gi memory, 110 pods. */
  readonly capacity?: Readonly<Record<string, string>>
  /** Names of static pods that its kubelet keeps in kube-system. */
  readonly staticPods?: readonly string[]
  /** Default: that of the built-in schemas. */
  readonly kubeletVersion?: string
}

const MOST = 5_000

/** @throws RangeError for a number below 0 or above 5 000. */
export function nodeSpecs(nodes: number | readonly NodeSpec[]): readonly NodeSpec[] {
  if (typeof nodes !== 'number') return nodes
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > MOST) {
    throw new RangeError(`${nodes} is no number of simulated nodes: 0 to ${MOST}`)
  }
  return Array.from({ length: nodes }, (_, index) => ({ name: `sim-${index + 1}` }))
}

export function renderNode(spec: NodeSpec): Node {
  const { name, zone, capacity, kubeletVersion } = spec
  const staticPods = spec.staticPods ?? []
  const status = {
    ...(capacity === undefined ? {} : { capacity }),
    ...(kubeletVersion === undefined ? {} : { nodeInfo: nodeInfo(kubeletVersion) }),
  }
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': 'simulated',
        ...(zone === undefined ? {} : { 'topology.kubernetes.io/zone': zone }),
        ...spec.labels,
      },
      annotations: {
        [NODE_ANNOTATIONS.kubelet]: 'simulated',
        ...(staticPods.length === 0 ? {} : { [NODE_ANNOTATIONS.staticPods]: staticPods.join(',') }),
        ...spec.annotations,
      },
    },
    spec: {
      providerID: spec.providerID ?? `simulated:///${name}`,
      ...(spec.taints === undefined ? {} : { taints: spec.taints }),
    },
    ...(Object.keys(status).length === 0 ? {} : { status }),
  }
}

/** The server wants all of them; the kubelet fills in the rest when it starts. */
function nodeInfo(kubeletVersion: string): Record<string, string> {
  return { kubeletVersion }
}

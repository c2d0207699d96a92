/** Where in the host cluster the pods of a member run. */
import { Label } from '../../../api/v1alpha1/labels.ts'
import { type Block, selectorOf } from '../../render/manifest.ts'
import { K3S_ROLES, type K3sInput } from './input.ts'

const HOSTNAME = 'kubernetes.io/hostname'

/** Fields of the pod spec of a server. */
export function serverPlacement(input: K3sInput): Block {
  const podAntiAffinity = antiAffinity(input)
  return { ...nodeFields(input), ...affinity({ nodeAffinity: nodeAffinity(input), podAntiAffinity }) }
}

/** Fields of the pod spec of an agent. */
export function agentPlacement(input: K3sInput): Block {
  const { intraInstance } = input.cluster.placement ?? {}
  const podAffinity =
    intraInstance?.mode === 'SameHost'
      ? {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: selectorOf(input, K3S_ROLES.server) }, topologyKey: HOSTNAME },
          ],
        }
      : undefined
  return { ...nodeFields(input), ...affinity({ nodeAffinity: nodeAffinity(input), podAffinity }) }
}

function affinity(parts: Block): Block {
  const present = Object.entries(parts).filter(([, part]) => part !== undefined)
  return present.length === 0 ? {} : { affinity: Object.fromEntries(present) }
}

function nodeFields({ cluster }: K3sInput): Block {
  const { selector, tolerations = [] } = cluster.placement?.node ?? {}
  return {
    ...(selector?.matchLabels === undefined ? {} : { nodeSelector: selector.matchLabels }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  }
}

function nodeAffinity({ cluster }: K3sInput): Block | undefined {
  const matchExpressions = cluster.placement?.node?.selector?.matchExpressions ?? []
  if (matchExpressions.length === 0) return undefined
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } }
}

/** Away from the servers of the *other* members; those of one member are kept apart by it as well only when it has its own rule. */
function antiAffinity({ name, cluster }: K3sInput): Block | undefined {
  const spread = cluster.placement?.interInstance?.spread
  if (spread === undefined) return undefined
  const term = {
    labelSelector: {
      matchLabels: { [Label.role]: K3S_ROLES.server },
      matchExpressions: [{ key: Label.cluster, operator: 'NotIn', values: [name] }],
    },
    topologyKey: spread.topologyKey,
  }
  return spread.strength === 'Required'
    ? { requiredDuringSchedulingIgnoredDuringExecution: [term] }
    : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] }
}

/** Which nodes a DaemonSet's template fits, and the pod that it makes for one. */
import { DAEMON_SETS, type DaemonSet, type Node, type NodeSelectorTerm, type Pod } from '../kinds.ts'
import { nodeMatches } from '../objects/node-affinity.ts'
import { ownerReferenceTo, podFromTemplate } from '../objects/pods.ts'
import { DAEMON_TOLERATIONS, isTolerated, NO_EXECUTE, untolerated } from '../objects/taints.ts'
import { REVISION_HASH_LABEL } from '../revisions/plan-revision.ts'

const GENERATION_LABEL = 'pod-template-generation'
const NAME_FIELD = 'metadata.name'

export interface Fit {
  readonly shouldRun: boolean
  /** A pod that is there may stay: only a NoExecute taint drives it away. */
  readonly shouldContinue: boolean
}

export function fitOf({ spec }: DaemonSet, node: Node): Fit {
  const { template } = spec
  if (!nodeMatches(template.spec, node)) return { shouldRun: false, shouldContinue: false }
  const tolerations = [...(template.spec.tolerations ?? []), ...DAEMON_TOLERATIONS]
  const taints = node.spec?.taints ?? []
  const drivenAway = taints.some((taint) => taint.effect === NO_EXECUTE && !isTolerated(taint, tolerations))
  return { shouldRun: untolerated(taints, tolerations) === undefined, shouldContinue: !drivenAway }
}

/** The node that a pod of a DaemonSet is made for; the scheduler binds it there. */
export function pinnedNode({ spec }: Pod): string | undefined {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const field = required?.nodeSelectorTerms[0]?.matchFields?.find(({ key }) => key === NAME_FIELD)
  return field?.values?.[0]
}

export function renderDaemonPod(daemonSet: DaemonSet, node: string, hash: string): Pod {
  const { name = '', namespace, generation = 1 } = daemonSet.metadata
  const { template } = daemonSet.spec
  const affinity = template.spec.affinity ?? {}
  const former = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}]
  const matchFields = [{ key: NAME_FIELD, operator: 'In', values: [node] }]
  const nodeSelectorTerms: NodeSelectorTerm[] = former.map((term) => ({ ...term, matchFields }))
  const nodeAffinity = {
    ...affinity.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  }
  return podFromTemplate({
    template,
    owner: ownerReferenceTo(DAEMON_SETS, daemonSet),
    namespace,
    generateName: `${name}-`,
    labels: { [REVISION_HASH_LABEL]: hash, [GENERATION_LABEL]: `${generation}` },
    spec: {
      affinity: { ...affinity, nodeAffinity },
      tolerations: [...(template.spec.tolerations ?? []), ...DAEMON_TOLERATIONS],
    },
  })
}

/** Pods of a StatefulSet: stable names, host names and volume claims by ordinal. */
import { type PersistentVolumeClaim, type Pod, type PodTemplate, STATEFUL_SETS, type StatefulSet } from '../kinds.ts'
import { ownerReferenceTo, podFromTemplate } from '../objects/pods.ts'
import { REVISION_HASH_LABEL } from '../revisions/plan-revision.ts'

const POD_NAME_LABEL = 'statefulset.kubernetes.io/pod-name'
const INDEX_LABEL = 'apps.kubernetes.io/pod-index'

/** -1 for a name that is not of this shape. */
export function ordinalOf({ metadata }: Pod): number {
  const digits = /-(\d+)$/.exec(metadata.name ?? '')?.[1]
  return digits === undefined ? -1 : Number(digits)
}

export interface PodInput {
  readonly statefulSet: StatefulSet
  readonly ordinal: number
  /** Name of the ControllerRevision that the template comes from. */
  readonly revision: string
  readonly template: PodTemplate
}

export function renderPod({ statefulSet, ordinal, revision, template }: PodInput): Pod {
  const { namespace } = statefulSet.metadata
  const name = `${statefulSet.metadata.name}-${ordinal}`
  const claimed = renderClaims(statefulSet, ordinal).map(({ metadata }, at) => ({
    name: statefulSet.spec.volumeClaimTemplates?.[at]?.metadata?.name ?? '',
    persistentVolumeClaim: { claimName: metadata.name ?? '' },
  }))
  const others = (template.spec.volumes ?? []).filter((volume) => !claimed.some((one) => one.name === volume.name))
  const volumes = [...others, ...claimed]
  const { serviceName } = statefulSet.spec
  return podFromTemplate({
    template,
    owner: ownerReferenceTo(STATEFUL_SETS, statefulSet),
    namespace,
    name,
    labels: { [POD_NAME_LABEL]: name, [INDEX_LABEL]: `${ordinal}`, [REVISION_HASH_LABEL]: revision },
    spec: {
      hostname: name,
      ...(serviceName ? { subdomain: serviceName } : {}),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  })
}

/** The claims of one pod, in the order of the templates. They outlive the pod. */
export function renderClaims(statefulSet: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const { name, namespace } = statefulSet.metadata
  return (statefulSet.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: {
      name: `${metadata?.name}-${name}-${ordinal}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...statefulSet.spec.selector.matchLabels, ...metadata?.labels },
    },
    ...(spec === undefined ? {} : { spec }),
  }))
}

/**
 * The workloads of the cluster: every one is available, and no more of its pods crash or find no place than before the run.
 *
 *   Deployment    its condition Available: as many pods as its own strategy asks for
 *   StatefulSet   every pod available
 *   DaemonSet     a pod available on every node that serves
 *   pods          CrashLoopBackOff, and Pending, counted by workload and compared with the count when the run began: what was
 *                 broken before, and is made anew under another name because its node is drained, does not stop the run
 *
 * Pods on nodes that do not serve are not judged: the run took those down, or another check tells of them.
 */
import type { KubeObject } from '../../../api/resource.ts'
import { Label } from '../../../api/v1alpha1/labels.ts'
import type { NodeHealthCheck } from '../../../api/v1alpha1/managed-cluster.ts'
import { isServing } from '../../../core/nodes/run-facts.ts'
import type { StatefulSet, Workload, WorkloadPod } from '../workload-kinds.ts'
import { listed, type Sight, type Try, type Wrong } from './check.ts'

type Selection = NonNullable<NodeHealthCheck['workloads']>

export const workloads: Try = async ({ workloads: selection = {} }, sight, attempt) => {
  const { session } = sight
  if (session === undefined) return 'the workloads could not be read'
  const kinds = session.workloads()
  if (kinds === undefined) return 'the workloads have not been read yet'
  const selected = <T extends KubeObject>(objects: readonly T[]): readonly T[] =>
    objects.filter((object) => isSelected(selection, object))
  const down = [
    ...selected(kinds.deployments.list())
      .filter((one) => !isDeploymentAvailable(one))
      .map(named('Deployment')),
    ...selected(kinds.statefulSets.list())
      .filter((one) => !isStatefulSetAvailable(one))
      .map(named('StatefulSet')),
    ...selected<Workload>(session.daemonSets.list())
      .filter((one) => !isDaemonSetAvailable(sight, one))
      .map(named('DaemonSet')),
  ]
  const now = troubleOf(sight, session.pods.list())
  const before = await attempt.recordedBefore(sight, now)
  return (
    listed(down, 'workloads not available') ?? worse({ now: troubleOf(sight, selected(session.pods.list())), before })
  )
}

const named =
  (kind: string) =>
  ({ metadata }: KubeObject): string =>
    `${kind} ${metadata.namespace}/${metadata.name}`

function isSelected({ namespaces, matchLabels = {} }: Selection, { metadata }: KubeObject): boolean {
  if (namespaces !== undefined && !namespaces.includes(metadata.namespace ?? '')) return false
  return Object.entries(matchLabels).every(([label, value]) => metadata.labels?.[label] === value)
}

/** Its controller has not looked at the present spec. */
const isBehind = ({ metadata, status }: Workload): boolean =>
  (status?.observedGeneration ?? 0) < (metadata.generation ?? 0)

function isDeploymentAvailable(deployment: Workload): boolean {
  if (isBehind(deployment)) return false
  return deployment.status?.conditions?.find(({ type }) => type === 'Available')?.status === 'True'
}

function isStatefulSetAvailable(set: StatefulSet): boolean {
  return !isBehind(set) && (set.status?.availableReplicas ?? 0) >= (set.spec?.replicas ?? 1)
}

/** Nodes that the cluster has, and that do not serve, have a pod each that is not available. */
function isDaemonSetAvailable({ facts: { members } }: Sight, set: Workload): boolean {
  if (isBehind(set)) return false
  const down = members.filter((member) => member.node !== undefined && !isServing(member)).length
  const { desiredNumberScheduled = 0, numberAvailable = 0 } = set.status ?? {}
  return numberAvailable + down >= desiredNumberScheduled
}

/** Pods in trouble, counted by workload. */
export function troubleOf({ facts }: Sight, pods: readonly WorkloadPod[]): ReadonlyMap<string, number> {
  const serving = new Set(facts.members.filter(isServing).map(({ name }) => name))
  const counts = new Map<string, number>()
  for (const pod of pods) {
    if (!isInTrouble(pod, serving)) continue
    const workload = workloadOf(pod)
    counts.set(workload, (counts.get(workload) ?? 0) + 1)
  }
  return counts
}

function isInTrouble({ metadata, spec, status }: WorkloadPod, serving: ReadonlySet<string>): boolean {
  if (metadata.deletionTimestamp !== undefined || metadata.labels?.[Label.healthCheck] !== undefined) return false
  if (spec?.nodeName !== undefined && !serving.has(spec.nodeName)) return false
  if (status?.phase === 'Pending') return true
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  return containers.some(({ state }) => state?.waiting?.reason === 'CrashLoopBackOff')
}

/** The name that stays when pods are made anew: of the Deployment rather than of its ReplicaSet. */
function workloadOf({ metadata }: WorkloadPod): string {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)
  if (owner === undefined) return `Pod ${metadata.namespace}/${metadata.name}`
  const hash = metadata.labels?.['pod-template-hash']
  const suffix = `-${hash}`
  if (owner.kind !== 'ReplicaSet' || hash === undefined || !owner.name.endsWith(suffix))
    return `${owner.kind} ${metadata.namespace}/${owner.name}`
  return `Deployment ${metadata.namespace}/${owner.name.slice(0, -suffix.length)}`
}

interface Trouble {
  readonly now: ReadonlyMap<string, number>
  readonly before: ReadonlyMap<string, number>
}

function worse({ now, before }: Trouble): Wrong {
  const grown = [...now].filter(([workload, pods]) => pods > (before.get(workload) ?? 0))
  return listed(
    grown.map(([workload, pods]) => `${workload} (${pods}, ${before.get(workload) ?? 0} before the run)`),
    'workloads have pods that crash or are Pending',
  )
}

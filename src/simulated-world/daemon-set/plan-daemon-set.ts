/**
 * What a DaemonSet needs: one pod on every node that its template fits [k8s daemon controller]. In order:
 *
 *   1. nodes that should have a pod and have none get one; finished pods are made again
 *   2. pods on nodes that should have none, and surplus ones, go
 *   3. pods of another template go, those that are not available first, up to `maxUnavailable` at a time
 */
import { type Action, earliest, type Plan } from '../engine/plan.ts'
import { type ControllerRevision, DAEMON_SETS, type DaemonSet, type Node, PODS, type Pod } from '../kinds.ts'
import { resolveIntOrPercent } from '../objects/numbers.ts'
import { availableInMs, isFinished, isReady, isTerminating } from '../objects/pods.ts'
import { planRevision, REVISION_HASH_LABEL, surplusRevisions } from '../revisions/plan-revision.ts'
import { fitOf, pinnedNode, renderDaemonPod } from './daemon-pod.ts'

export interface ObservedDaemonSet {
  readonly daemonSet: DaemonSet
  readonly nodes: readonly Node[]
  /** The pods that it controls. */
  readonly pods: readonly Pod[]
  readonly revisions: readonly ControllerRevision[]
}

interface NodeView {
  readonly name: string
  readonly shouldRun: boolean
  readonly shouldContinue: boolean
  /** Oldest first. */
  readonly pods: readonly Pod[]
}

export function planDaemonSet(observed: ObservedDaemonSet, now: number): Plan {
  const { daemonSet, revisions } = observed
  if (isTerminating(daemonSet)) return { actions: [], notes: [] }
  const revision = planRevision({ type: DAEMON_SETS, object: daemonSet, revisions })
  const views = viewNodes(observed)
  const { create, remove } = placement(views)
  const creates = create.map((node) => createOn(daemonSet, node, revision.hash))
  const update = { daemonSet, views, hash: revision.hash, now }
  const updates = create.length + remove.length > 0 ? [] : updateSteps(update)
  const going = [...remove, ...updates]
  const limit = daemonSet.spec.revisionHistoryLimit ?? 10
  return {
    actions: [
      ...revision.actions,
      ...creates,
      ...going.map((object) => ({ kind: 'Delete', type: PODS, object }) as const),
      ...surplusRevisions(revisions, new Set([revision.name]), limit),
    ],
    notes: going.map(({ metadata }) => ({
      type: 'Normal',
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${metadata.name}`,
    })),
    ...statusOf(update),
  }
}

function viewNodes({ daemonSet, nodes, pods }: ObservedDaemonSet): NodeView[] {
  const byNode = Map.groupBy(pods, (pod) => pod.spec.nodeName ?? pinnedNode(pod) ?? '')
  const known = nodes.map((node) => {
    const name = node.metadata.name ?? ''
    const mine = (byNode.get(name) ?? []).toSorted(byAge)
    byNode.delete(name)
    return { name, ...fitOf(daemonSet, node), pods: mine }
  })
  const orphans = [...byNode].map(([name, left]) => ({ name, shouldRun: false, shouldContinue: false, pods: left }))
  return [...known, ...orphans]
}

function byAge(a: Pod, b: Pod): number {
  return (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '')
}

function placement(views: readonly NodeView[]): { create: string[]; remove: Pod[] } {
  const create: string[] = []
  const remove: Pod[] = []
  for (const { name, shouldRun, shouldContinue, pods } of views) {
    const live = pods.filter((pod) => !isTerminating(pod))
    const running = live.filter((pod) => !isFinished(pod))
    // A pod that is still ending keeps the place: two daemons must not meet on one node.
    if (shouldRun && pods.length === 0) create.push(name)
    if (!shouldContinue) remove.push(...live)
    else remove.push(...live.filter(isFinished), ...running.slice(1))
  }
  return { create, remove }
}

function createOn(daemonSet: DaemonSet, node: string, hash: string): Action {
  return { kind: 'Create', type: PODS, object: renderDaemonPod(daemonSet, node, hash) }
}

interface Update {
  readonly daemonSet: DaemonSet
  readonly views: readonly NodeView[]
  readonly hash: string
  readonly now: number
}

const isUpdated = (pod: Pod, hash: string): boolean => pod.metadata.labels?.[REVISION_HASH_LABEL] === hash

function updateSteps({ daemonSet, views, hash, now }: Update): Pod[] {
  const { type = 'RollingUpdate', rollingUpdate } = daemonSet.spec.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return []
  const wanted = views.filter(({ shouldRun }) => shouldRun)
  const budget = Math.max(1, resolveIntOrPercent(rollingUpdate?.maxUnavailable ?? 1, wanted.length, 'up'))
  const live = wanted.flatMap(({ pods }) => pods.filter((pod) => !isTerminating(pod)).slice(0, 1))
  const isAvailable = (pod: Pod): boolean => availableInMs(pod, daemonSet.spec.minReadySeconds ?? 0, now) === 0
  const unavailable = wanted.length - live.filter(isAvailable).length
  const old = live.filter((pod) => !isUpdated(pod, hash))
  const broken = old.filter((pod) => !isAvailable(pod))
  return [...broken, ...old.filter(isAvailable).slice(0, Math.max(0, budget - unavailable))]
}

function statusOf({ daemonSet, views, hash, now }: Update): Pick<Plan, 'status' | 'requeueAfterMs'> {
  const minReadySeconds = daemonSet.spec.minReadySeconds ?? 0
  const wanted = views.filter(({ shouldRun }) => shouldRun)
  const firsts = wanted.flatMap(({ pods }) => pods.filter((pod) => !isTerminating(pod)).slice(0, 1))
  const waits = firsts.map((pod) => availableInMs(pod, minReadySeconds, now))
  const available = waits.filter((wait) => wait === 0).length
  const later = waits.filter((wait) => wait !== undefined && wait > 0)
  return {
    status: {
      ...daemonSet.status,
      observedGeneration: daemonSet.metadata.generation ?? 0,
      desiredNumberScheduled: wanted.length,
      currentNumberScheduled: firsts.length,
      numberMisscheduled: views.filter(({ shouldRun, pods }) => !shouldRun && pods.length > 0).length,
      numberReady: firsts.filter(isReady).length,
      numberAvailable: available,
      numberUnavailable: wanted.length - available,
      updatedNumberScheduled: firsts.filter((pod) => isUpdated(pod, hash)).length,
    },
    requeueAfterMs: earliest(...later),
  }
}

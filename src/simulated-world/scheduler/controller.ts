/**
 * The scheduler: one pod at a time, so that each decision sees the one before. A pod that found no node is looked at
 * again when a node changes in a way that matters, or when a pod leaves room.
 */
import { isDeepStrictEqual } from 'node:util'
import { objectKey } from '../../kube/object-key.ts'
import { BY_NODE } from '../engine/cache.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, type Source, type WorldController } from '../engine/planned-controller.ts'
import type { Node, Pod } from '../kinds.ts'
import { conditionOf, isFinished } from '../objects/pods.ts'
import type { NodeLoad } from './filters.ts'
import { DEFAULT_SCHEDULER, isPending, type ObservedPending, planBinding } from './plan-binding.ts'

export function createScheduler(deps: WorldDeps): WorldController {
  const { pods, nodes } = deps.caches
  /** Pods that were bound here and that the cache does not show as bound yet, by key. */
  const assumed = new Map<string, { readonly pod: Pod; readonly node: string }>()

  function observe(pod: Pod): ObservedPending | undefined {
    dropSeen()
    if (!isPending(pod) || assumed.has(objectKey(pod))) return undefined
    const waiting = [...assumed.values()]
    const loads = nodes.list().map((node): NodeLoad => {
      const name = node.metadata.name ?? ''
      const bound = pods.byIndex(BY_NODE, name).filter((other) => !isFinished(other))
      const coming = waiting.filter((one) => one.node === name).map((one) => one.pod)
      return { node, pods: [...bound, ...coming] }
    })
    return { pod, nodes: loads }
  }

  /** The cache shows the binding, or the pod has gone. */
  function dropSeen(): void {
    for (const [key, { pod }] of assumed) {
      const cached = pods.get(pod.metadata.namespace, pod.metadata.name ?? '')
      const isSeen = cached?.metadata.uid !== pod.metadata.uid || (cached?.spec.nodeName ?? '') !== ''
      if (isSeen) assumed.delete(key)
    }
  }

  const roomChanges: Source = (controller) => {
    const retry = (concerns: (pod: Pod) => boolean): void => {
      for (const pod of pods.byIndex(BY_NODE, ''))
        if (isPending(pod) && concerns(pod)) controller.enqueue(objectKey(pod))
    }
    const retryAll = (): void => retry(() => true)
    const ends = [
      nodes.informer.on(({ object, old }) => {
        if (old === undefined || !isDeepStrictEqual(whatCounts(object), whatCounts(old))) retryAll()
      }),
      pods.informer.on(({ type, object, old }) => {
        const left = type === 'DELETED' || (isFinished(object) && old !== undefined && !isFinished(old))
        if (left) retryAll()
        else if (old !== undefined && old.spec.nodeName !== object.spec.nodeName) retry(dependsOnOthers)
      }),
    ]
    return () => {
      for (const end of ends) end()
    }
  }

  return createPlannedController<Pod, ObservedPending>(
    deps,
    {
      name: 'scheduler',
      component: DEFAULT_SCHEDULER,
      subjects: pods,
      observe,
      plan: planBinding,
      sources: [roomChanges],
      concurrency: 1,
      done({ pod }, { actions }) {
        for (const action of actions)
          if (action.kind === 'Bind') assumed.set(objectKey(pod), { pod, node: action.node })
      },
    },
    [nodes],
  )
}

function whatCounts({ metadata, spec, status }: Readonly<Node>): object {
  return {
    labels: metadata.labels ?? {},
    taints: (spec?.taints ?? []).map(({ key, value, effect }) => ({ key, value, effect })),
    unschedulable: spec?.unschedulable ?? false,
    allocatable: status?.allocatable ?? {},
    ready: conditionOf(status?.conditions, 'Ready')?.status,
  }
}

/** May fit once another pod is placed. */
function dependsOnOthers({ spec }: Pod): boolean {
  return spec.affinity?.podAffinity !== undefined || spec.topologySpreadConstraints !== undefined
}

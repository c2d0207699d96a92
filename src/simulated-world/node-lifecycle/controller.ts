/** Watches over nodes: those that fall silent, and pods whose node does not exist any more. */
import { objectKey } from '../../kube/object-key.ts'
import { BY_NODE } from '../engine/cache.ts'
import { NODE_LEASE_NAMESPACE } from '../engine/caches.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, onChange, type WorldController } from '../engine/planned-controller.ts'
import { type Node, PODS, type Pod } from '../kinds.ts'
import { isTerminating } from '../objects/pods.ts'
import { type ObservedNode, planNodeLifecycle } from './plan-node-lifecycle.ts'

export function createNodeLifecycleController(deps: WorldDeps): WorldController {
  const { nodes, nodeLeases, pods } = deps.caches
  /** When a renewal was last seen, by this process's clock: a lease of before a restart says nothing about now. */
  const heard = new Map<string, { readonly renewTime: string; readonly at: number }>()

  function heardAt(name: string): number {
    const lease = nodeLeases.get(NODE_LEASE_NAMESPACE, name)
    const renewTime = lease?.spec?.renewTime ?? ''
    const before = heard.get(name)
    if (before !== undefined && before.renewTime === renewTime) return before.at
    const at = deps.clock.now()
    heard.set(name, { renewTime, at })
    return at
  }

  return createPlannedController<Node, ObservedNode>(
    deps,
    {
      name: 'nodelifecycle',
      component: 'node-controller',
      subjects: nodes,
      observe(node) {
        const name = node.metadata.name ?? ''
        return { node, pods: pods.byIndex(BY_NODE, name), heardAt: heardAt(name), graceMs: deps.timings.nodeGraceMs }
      },
      plan: planNodeLifecycle,
      sources: [
        onChange(nodeLeases, ({ metadata }) => [metadata.name ?? '']),
        // A new pod on a node in trouble: its tolerations decide how long it stays.
        onChange(pods, ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName])),
      ],
      forget: (name) => heard.delete(name),
    },
    [nodeLeases, pods],
  )
}

interface ObservedOrphan {
  readonly pod: Pod
  readonly since: number
  readonly graceMs: number
}

/** Removes pods whose Node has been deleted [k8s pod GC]. */
export function createPodCollector(deps: WorldDeps): WorldController {
  const { nodes, pods } = deps.caches
  /** First seen without a node, by key. */
  const orphans = new Map<string, number>()

  function observe(pod: Pod): ObservedOrphan | undefined {
    const key = objectKey(pod)
    const node = pod.spec.nodeName ?? ''
    const goes = isTerminating(pod) && pod.metadata.deletionGracePeriodSeconds === 0
    if (node === '' || goes || nodes.get(undefined, node) !== undefined) {
      orphans.delete(key)
      return undefined
    }
    const since = orphans.get(key) ?? deps.clock.now()
    orphans.set(key, since)
    return { pod, since, graceMs: deps.timings.orphanGraceMs }
  }

  return createPlannedController<Pod, ObservedOrphan>(
    deps,
    {
      name: 'podgc',
      component: 'pod-garbage-collector',
      subjects: pods,
      observe,
      plan({ pod, since, graceMs }, now) {
        const left = since + graceMs - now
        if (left > 0) return { actions: [], notes: [], requeueAfterMs: left }
        return { actions: [{ kind: 'Delete', type: PODS, object: pod, gracePeriodSeconds: 0 }], notes: [] }
      },
      sources: [
        (controller) =>
          nodes.informer.on(({ type, object }) => {
            if (type !== 'DELETED') return
            for (const pod of pods.byIndex(BY_NODE, object.metadata.name ?? '')) controller.enqueue(objectKey(pod))
          }),
      ],
      forget: (key) => orphans.delete(key),
    },
    [nodes],
  )
}

/** The simulated kubelet, for all simulated nodes at once: one controller of machines, one of their pods. */

import { parseTimestamp } from '../../api/timestamp.ts'
import { objectKey } from '../../kube/object-key.ts'
import { BY_NODE } from '../engine/cache.ts'
import { NODE_LEASE_NAMESPACE } from '../engine/caches.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, onChange, type WorldController } from '../engine/planned-controller.ts'
import type { Node, Pod } from '../kinds.ts'
import { stageKey, stageOf } from './container-stage.ts'
import { nodeAddress } from './node-status.ts'
import { isSimulated, isWorking, machineOf, type ObservedMachine, planNode } from './plan-node.ts'
import { type ObservedPod, planPod } from './plan-pod.ts'

export interface KubeletDeps extends WorldDeps {
  /** Fresh UUIDs, for boot IDs. */
  readonly uuid: () => string
}

export function createMachineController(deps: KubeletDeps): WorldController {
  const { nodes, nodeLeases, pods } = deps.caches
  return createPlannedController<Node, ObservedMachine>(deps, {
    name: 'machine',
    component: 'kubelet',
    subjects: nodes,
    observe(node) {
      if (!isSimulated(node)) return undefined
      const name = node.metadata.name ?? ''
      return {
        node,
        lease: nodeLeases.get(NODE_LEASE_NAMESPACE, name),
        pods: pods.byIndex(BY_NODE, name),
        freshBootId: deps.uuid(),
        timings: deps.timings,
      }
    },
    plan: planNode,
    dependents: [nodeLeases, pods],
    sources: [
      onChange(pods, ({ metadata, spec }) =>
        metadata.deletionTimestamp === undefined ? [] : [spec.nodeName ?? ''].filter(Boolean),
      ),
    ],
  })
}

export function createKubelet(deps: WorldDeps): WorldController {
  const { nodes, pods } = deps.caches
  /** When each pod came into its present stage, by key; objects tell whole seconds only. */
  const stages = new Map<string, { readonly stage: string; readonly since: number }>()

  function sinceOf(pod: Pod): number {
    const key = objectKey(pod)
    const stage = `${pod.metadata.uid} ${stageKey(pod)}`
    const known = stages.get(key)
    if (known?.stage === stage) return known.since
    const since = known === undefined ? toldBy(pod) : deps.clock.now()
    stages.set(key, { stage, since })
    return since
  }

  /** After a restart of this process the object says how long a container has been running. */
  function toldBy(pod: Pod): number {
    const now = deps.clock.now()
    const stage = stageOf(pod)
    return stage.kind === 'running' ? Math.min(now, parseTimestamp(stage.startedAt) ?? now) : now
  }

  function observe(pod: Pod): ObservedPod | undefined {
    const node = nodes.get(undefined, pod.spec.nodeName ?? '')
    if (node === undefined || !isWorking(node)) return undefined
    const { timings } = deps
    const bootedAt = machineOf(node)?.since ?? 0
    return { pod, nodeIp: nodeAddress(node), bootedAt, since: sinceOf(pod), timings }
  }

  return createPlannedController<Pod, ObservedPod>(
    deps,
    {
      name: 'kubelet',
      component: 'kubelet',
      subjects: pods,
      observe,
      plan: planPod,
      sources: [
        (controller) =>
          nodes.informer.on(({ object, old }) => {
            if (!isWorking(object) || (old !== undefined && isWorking(old))) return
            for (const pod of pods.byIndex(BY_NODE, object.metadata.name ?? '')) controller.enqueue(objectKey(pod))
          }),
      ],
      concurrency: 8,
      forget: (key) => stages.delete(key),
    },
    [nodes],
  )
}

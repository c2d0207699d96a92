/** The DaemonSet controller. */
import { isDeepStrictEqual } from 'node:util'
import { ownerKeys } from '../../controllers/engine/sources.ts'
import { objectKey } from '../../kube/object-key.ts'
import { BY_CONTROLLER } from '../engine/cache.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, onChange, type Source, type WorldController } from '../engine/planned-controller.ts'
import type { DaemonSet, Node } from '../kinds.ts'
import { type ObservedDaemonSet, planDaemonSet } from './plan-daemon-set.ts'

export function createDaemonSetController(deps: WorldDeps): WorldController {
  const { daemonSets, nodes, pods, revisions } = deps.caches

  /** Only what decides where daemons run: a node's heartbeat concerns no DaemonSet. */
  const whereDaemonsRun = ({ metadata, spec }: Readonly<Node>): object => ({
    labels: metadata.labels ?? {},
    taints: spec?.taints ?? [],
    unschedulable: spec?.unschedulable ?? false,
  })
  const nodeChanges: Source = (controller) =>
    nodes.informer.on(({ type, object, old }) => {
      const isHeartbeat = type === 'MODIFIED' && old && isDeepStrictEqual(whereDaemonsRun(object), whereDaemonsRun(old))
      if (isHeartbeat) return
      for (const daemonSet of daemonSets.list()) controller.enqueue(objectKey(daemonSet))
    })

  return createPlannedController<DaemonSet, ObservedDaemonSet>(
    deps,
    {
      name: 'daemonset',
      component: 'daemonset-controller',
      subjects: daemonSets,
      observe: (daemonSet) => ({
        daemonSet,
        nodes: nodes.list(),
        pods: pods.byIndex(BY_CONTROLLER, daemonSet.metadata.uid ?? ''),
        revisions: revisions.byIndex(BY_CONTROLLER, daemonSet.metadata.uid ?? ''),
      }),
      plan: planDaemonSet,
      dependents: [pods, revisions],
      sources: [onChange(pods, ownerKeys('DaemonSet')), onChange(revisions, ownerKeys('DaemonSet')), nodeChanges],
    },
    [nodes],
  )
}

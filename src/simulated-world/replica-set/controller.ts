/** The ReplicaSet controller. */
import { ownerKeys } from '../../controllers/engine/sources.ts'
import { BY_CONTROLLER } from '../engine/cache.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, onChange, type WorldController } from '../engine/planned-controller.ts'
import type { ReplicaSet } from '../kinds.ts'
import { type ObservedReplicaSet, planReplicaSet } from './plan-replica-set.ts'

export function createReplicaSetController(deps: WorldDeps): WorldController {
  const { replicaSets, pods } = deps.caches
  return createPlannedController<ReplicaSet, ObservedReplicaSet>(deps, {
    name: 'replicaset',
    component: 'replicaset-controller',
    subjects: replicaSets,
    observe: (replicaSet) => ({ replicaSet, pods: pods.byIndex(BY_CONTROLLER, replicaSet.metadata.uid ?? '') }),
    plan: planReplicaSet,
    dependents: [pods],
    sources: [onChange(pods, ownerKeys('ReplicaSet'))],
  })
}

/** The StatefulSet controller. */
import { ownerKeys } from '../../controllers/engine/sources.ts'
import { BY_CONTROLLER, BY_NAMESPACE } from '../engine/cache.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, onChange, type WorldController } from '../engine/planned-controller.ts'
import type { StatefulSet } from '../kinds.ts'
import { type ObservedStatefulSet, planStatefulSet } from './plan-stateful-set.ts'

export function createStatefulSetController(deps: WorldDeps): WorldController {
  const { statefulSets, pods, revisions, claims } = deps.caches
  return createPlannedController<StatefulSet, ObservedStatefulSet>(deps, {
    name: 'statefulset',
    component: 'statefulset-controller',
    subjects: statefulSets,
    observe(statefulSet) {
      const { uid = '', namespace = '' } = statefulSet.metadata
      const claimed = statefulSet.spec.volumeClaimTemplates === undefined ? [] : claims.byIndex(BY_NAMESPACE, namespace)
      return {
        statefulSet,
        pods: pods.byIndex(BY_CONTROLLER, uid),
        revisions: revisions.byIndex(BY_CONTROLLER, uid),
        claims: claimed,
      }
    },
    plan: planStatefulSet,
    dependents: [pods, revisions, claims],
    sources: [onChange(pods, ownerKeys('StatefulSet')), onChange(revisions, ownerKeys('StatefulSet'))],
  })
}

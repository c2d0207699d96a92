/** The Deployment controller: what it watches and gathers for its planner. */
import { ownerKeys } from '../../controllers/engine/sources.ts'
import { BY_CONTROLLER } from '../engine/cache.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, onChange, type WorldController } from '../engine/planned-controller.ts'
import type { Deployment, Pod, ReplicaSet } from '../kinds.ts'
import { isFinished } from '../objects/pods.ts'
import { type ObservedDeployment, planDeployment } from './plan-deployment.ts'

export function createDeploymentController(deps: WorldDeps): WorldController {
  const { deployments, replicaSets, pods } = deps.caches
  return createPlannedController<Deployment, ObservedDeployment>(
    deps,
    {
      name: 'deployment',
      component: 'deployment-controller',
      subjects: deployments,
      observe(deployment) {
        const owned = replicaSets.byIndex(BY_CONTROLLER, deployment.metadata.uid ?? '')
        return { deployment, replicaSets: owned, oldPodsLeft: (current) => countPods(owned, current) }
      },
      plan: planDeployment,
      dependents: [replicaSets],
      sources: [onChange(replicaSets, ownerKeys('Deployment')), onChange(pods, deploymentOf)],
    },
    [pods],
  )

  function countPods(owned: readonly ReplicaSet[], current: ReplicaSet | undefined): number {
    const old = owned.filter((one) => one !== current)
    const left = old.flatMap((one) => pods.byIndex(BY_CONTROLLER, one.metadata.uid ?? ''))
    return left.filter((pod) => !isFinished(pod)).length
  }

  /** Recreate waits for pods that go: only their end concerns a Deployment directly. */
  function deploymentOf(pod: Readonly<Pod>): string[] {
    if (pod.metadata.deletionTimestamp === undefined) return []
    const keys = ownerKeys('ReplicaSet')(pod)
    return keys.flatMap((key) => {
      const [namespace = '', name = ''] = key.split('/')
      const owner = replicaSets.get(namespace, name)
      return owner === undefined ? [] : [...ownerKeys('Deployment')(owner)]
    })
  }
}

/** Keeps the status of PodDisruptionBudgets, from which the API server decides evictions. */
import type { KubeObject, OwnerReference } from '../../api/resource.ts'
import { objectKey } from '../../kube/object-key.ts'
import { BY_NAMESPACE, type Cache } from '../engine/cache.ts'
import type { WorldDeps } from '../engine/deps.ts'
import { createPlannedController, onChange, type Source, type WorldController } from '../engine/planned-controller.ts'
import type { Pod, PodDisruptionBudget } from '../kinds.ts'
import { controllerRef } from '../objects/pods.ts'
import { selectorMatches } from '../objects/selector.ts'
import { type ObservedBudget, planDisruptionBudget } from './plan-disruption-budget.ts'

type Scaled = KubeObject & { readonly spec: { readonly replicas?: number } }

export function createDisruptionBudgetController(deps: WorldDeps): WorldController {
  const { budgets, pods, replicaSets, deployments, statefulSets } = deps.caches
  const scaled: Readonly<Record<string, Cache<Scaled>>> = {
    Deployment: deployments,
    ReplicaSet: replicaSets,
    StatefulSet: statefulSets,
  }

  function observe(budget: PodDisruptionBudget): ObservedBudget {
    const { namespace = '' } = budget.metadata
    const matching = pods.byIndex(BY_NAMESPACE, namespace).filter((pod) => covers(budget, pod))
    return { budget, pods: matching, controllersWant: wantedBy(namespace, matching) }
  }

  function wantedBy(namespace: string, matching: readonly Pod[]): number {
    const controllers = new Map<string, number>()
    for (const pod of matching) {
      const owner = scaledOwner(namespace, controllerRef(pod))
      if (owner !== undefined) controllers.set(owner.metadata.uid ?? '', owner.spec.replicas ?? 1)
    }
    return [...controllers.values()].reduce((sum, replicas) => sum + replicas, 0)
  }

  /** The size of a rollout is what the Deployment wants, however many ReplicaSets share it at the moment. */
  function scaledOwner(namespace: string, reference: OwnerReference | undefined): Scaled | undefined {
    if (reference === undefined) return undefined
    const owner = scaled[reference.kind]?.get(namespace, reference.name)
    if (owner === undefined || owner.metadata.uid !== reference.uid) return undefined
    return scaledOwner(namespace, controllerRef(owner)) ?? owner
  }

  function budgetsOf(pod: Readonly<Pod>): string[] {
    const near = budgets.byIndex(BY_NAMESPACE, pod.metadata.namespace ?? '')
    return near.filter((budget) => covers(budget, pod)).map((budget) => objectKey(budget))
  }

  const sizeChanges = (cache: Cache<Scaled>): Source => {
    return (controller) =>
      cache.informer.on(({ object, old }) => {
        if (old !== undefined && old.spec.replicas === object.spec.replicas) return
        const near = budgets.byIndex(BY_NAMESPACE, object.metadata.namespace ?? '')
        for (const budget of near) controller.enqueue(objectKey(budget))
      })
  }

  return createPlannedController<PodDisruptionBudget, ObservedBudget>(
    deps,
    {
      name: 'disruptionbudget',
      component: 'controllermanager',
      subjects: budgets,
      observe,
      plan: planDisruptionBudget,
      sources: [onChange(pods, budgetsOf), ...Object.values(scaled).map(sizeChanges)],
    },
    [pods, ...Object.values(scaled)],
  )
}

function covers({ spec }: PodDisruptionBudget, { metadata }: Readonly<Pod>): boolean {
  return selectorMatches(spec.selector, metadata.labels)
}

/** The scanner: counts a standing cluster, and moves it when no operation holds it. It never touches nodes. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import { MANAGED_CLUSTERS } from '../../api/v1alpha1/resources.ts'
import { planManagedCluster } from '../../core/nodes/plan-managed-cluster.ts'
import { isKubeError } from '../../kube/errors.ts'
import { fencedStatusPatch } from '../../kube/fenced-patch.ts'
import { keyOf, splitKey } from '../../kube/object-key.ts'
import { refOf } from '../../kube/request-path.ts'
import { type Controller, createController, type ReconcileResult } from '../engine/controller.ts'
import { enqueueOnChange } from '../engine/sources.ts'
import { withSources } from '../engine/with-sources.ts'
import { createNotePublisher } from '../note-publisher.ts'
import { BY_CLUSTER, type NodeDeps } from './deps.ts'
import { observeCluster } from './observe-cluster.ts'

/** Machines are not watched: so often a cluster is looked at when nothing happens. */
const SCAN_MS = 30_000
/** Nodes and pods change in bursts: one look for all changes of so long. */
const GATHER_MS = 500

export function createClusterController(deps: NodeDeps): Controller {
  const notes = createNotePublisher(deps.recorder, deps.log)
  const controller = createController({
    name: 'managedcluster',
    concurrency: 4,
    clock: deps.clock,
    log: deps.log,
    metrics: deps.metrics('managedcluster'),
    reconcile: (key) => reconcile(key),
  })

  async function reconcile(key: string): Promise<ReconcileResult> {
    const { namespace = '', name } = splitKey(key)
    const cached = deps.caches.clusters.get(namespace, name)
    if (cached === undefined) {
      notes.forget(key)
      await deps.sessions.forget(key)
      return {}
    }
    const cluster = deps.own.clusters.latest(cached)
    const { facts } = await observeCluster(deps, cluster, { fresh: false })
    const operations = deps.caches.operations
      .byIndex(BY_CLUSTER, name)
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map((operation) => deps.own.operations.latest(operation))
    const plan = planManagedCluster({ ...facts, cluster, operations }, deps.clock.now())
    notes.publish(cluster, plan.notes)
    for (const action of plan.actions) if (action.kind === 'SetCluster') await write(cluster, action.status)
    return { requeueAfterMs: Math.min(plan.requeueAfterMs ?? SCAN_MS, SCAN_MS) }
  }

  async function write(cluster: ManagedCluster, status: NonNullable<ManagedCluster['status']>): Promise<void> {
    const patch = fencedStatusPatch(cluster, status)
    if (patch === undefined) return
    try {
      deps.own.clusters.record(
        await deps.client.patch(MANAGED_CLUSTERS, refOf(cluster), patch, { subresource: 'status' }),
      )
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error
    }
  }

  return withSources(controller, () => [
    enqueueOnChange(deps.caches.clusters, controller),
    enqueueOnChange(deps.caches.operations, controller, ({ metadata, spec }) => [
      keyOf(metadata.namespace, spec.clusterRef.name),
    ]),
    deps.sessions.on((cluster) => controller.enqueueAfter(cluster, GATHER_MS)),
  ])
}

/** The scanner: counts a standing cluster, and moves it when no operation holds it. It never touches nodes. */
import type { ManagedCluster, ManagedClusterStatus } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { MANAGED_CLUSTERS } from '../../api/v1alpha1/resources.ts'
import { type ManagedClusterPlan, planManagedCluster } from '../../core/nodes/plan-managed-cluster.ts'
import { keyOf, splitKey } from '../../kube/object-key.ts'
import { type Controller, createController, type ReconcileResult } from '../engine/controller.ts'
import { enqueueOnChange } from '../engine/sources.ts'
import { withSources } from '../engine/with-sources.ts'
import { createNotePublisher } from '../note-publisher.ts'
import { writeStatus } from '../write-status.ts'
import { BY_CLUSTER, type NodeDeps } from './deps.ts'
import { trimHistory } from './history.ts'
import { observeCluster } from './observe-cluster.ts'
import { createShowPace } from './show-pace.ts'

/** Machines are not watched: so often a cluster is looked at when nothing happens. */
const SCAN_MS = 30_000
/** Nodes and pods change in bursts: one look for all changes of so long. */
const GATHER_MS = 500
/** While an operation changes nodes, counts change with every step: they are shown at most so often. */
const SHOW_MS = 10_000

export function createClusterController(deps: NodeDeps): Controller {
  const notes = createNotePublisher(deps.recorder, deps.log)
  const pace = createShowPace(deps.clock, SHOW_MS)
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
      pace.forget(key)
      deps.health.forget(key)
      await deps.sessions.forget(key)
      return {}
    }
    const cluster = deps.own.clusters.latest(cached)
    const operations = operationsOf(deps, namespace, name)
    const { facts } = await observeCluster(deps, cluster, { fresh: false })
    const plan = planManagedCluster({ ...facts, cluster, operations }, deps.clock.now())
    notes.publish(cluster, plan.notes)
    await trimHistory(deps, operations)
    const showIn = await show(key, cluster, plan)
    return { requeueAfterMs: Math.min(showIn ?? SCAN_MS, plan.requeueAfterMs ?? SCAN_MS) }
  }

  /** Answers when the status has to be shown, if not now. */
  async function show(key: string, cluster: ManagedCluster, plan: ManagedClusterPlan): Promise<number | undefined> {
    if (plan.actions.length === 0) return undefined
    const wait = pace.waitMs(key)
    if (wait > 0 && onlyCounts(cluster, plan.status)) return wait
    const { client, own } = deps
    await writeStatus({ client, type: MANAGED_CLUSTERS, record: own.clusters.record }, cluster, plan.status)
    pace.shown(key)
    return undefined
  }

  return withSources(controller, () => [
    enqueueOnChange(deps.caches.clusters, controller),
    enqueueOnChange(deps.caches.operations, controller, ({ metadata, spec }) => [
      keyOf(metadata.namespace, spec.clusterRef.name),
    ]),
    deps.sessions.on((cluster) => controller.enqueueAfter(cluster, GATHER_MS)),
  ])
}

/** Nothing depends on them: who holds the cluster, and in which state it is, stays the same. */
function onlyCounts({ status }: ManagedCluster, next: ManagedClusterStatus): boolean {
  const isHeld = status?.operation !== undefined && next.operation !== undefined
  return isHeld && status.state === next.state && status.lastError === next.lastError
}

function operationsOf({ caches, own }: NodeDeps, namespace: string, cluster: string): readonly NodeOperation[] {
  return caches.operations
    .byIndex(BY_CLUSTER, cluster)
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map((operation) => own.operations.latest(operation))
}

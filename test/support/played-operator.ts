/**
 * Plays the operator for tests of HTTP over objects in memory: operations go through the real planner, on a cluster of two workers
 * that nobody runs. An out-of-date worker never changes, so a rollout goes on until it is cancelled; without one it succeeds.
 */
import type { ManagedCluster } from '../../src/api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../src/api/v1alpha1/node-operation.ts'
import { MANAGED_CLUSTERS, NODE_OPERATIONS } from '../../src/api/v1alpha1/resources.ts'
import type { NodeAction } from '../../src/core/nodes/action.ts'
import type { Member, NodesObserved } from '../../src/core/nodes/model.ts'
import { planNodeOperation } from '../../src/core/nodes/plan-node-operation.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { isKubeError } from '../../src/kube/errors.ts'
import { fencedStatusPatch } from '../../src/kube/fenced-patch.ts'
import { addFinalizer, removeFinalizer } from '../../src/kube/finalizers.ts'
import { refOf } from '../../src/kube/request-path.ts'
import { NAMESPACE } from './http-world.ts'
import type { MemoryKube } from './memory-kube.ts'

const FINALIZER = 'kobe.kunobi.ninja/node-operation'

const worker = (name: string): Member => ({
  name,
  group: 'workers',
  type: 'worker',
  machine: { id: `m-${name}`, name, type: 'worker', state: 'Running', settings: { offering: 'small' } },
  node: { name, uid: `u-${name}`, resourceVersion: '1', ready: true, bootId: 'b', cordon: 'none' },
})

const observed = (cluster: ManagedCluster, operation: NodeOperation): NodesObserved => ({
  cluster,
  operation,
  members: [worker('worker-1'), worker('worker-2')],
  ungrouped: [],
  nodesKnown: true,
  machinesKnown: true,
  etcd: { members: [], ready: true },
  serving: new Set(),
  health: [],
  freezes: [],
  capabilities: { restart: true, replace: false, changes: new Set(['offering', 'rootDiskSizeGB', 'affinityGroups']) },
})

/** Works from now on, until it is stopped. */
export function playOperator(kube: MemoryKube): () => Promise<void> {
  const client = kube.replica()
  let passes: Promise<void> = Promise.resolve()
  const look = (): void => {
    passes = passes.then(() => passOverAll(client))
  }
  const unsubscribe = kube.onChange(({ resource }) => {
    if (resource.endsWith('/nodeoperations') || resource.endsWith('/managedclusters')) look()
  })
  look()
  return async () => {
    unsubscribe()
    await passes
  }
}

async function passOverAll(client: KubeClient): Promise<void> {
  const { items } = await client.list(NODE_OPERATIONS, { namespace: NAMESPACE })
  for (const operation of items) {
    try {
      await pass(client, operation)
    } catch (error) {
      // Somebody else was first: that change brings the next pass.
      if (!isKubeError(error, 'Conflict', 'NotFound')) throw error
    }
  }
}

async function pass(client: KubeClient, operation: NodeOperation): Promise<void> {
  const cluster = await client.get(MANAGED_CLUSTERS, { name: operation.spec.clusterRef.name, namespace: NAMESPACE })
  const plan = planNodeOperation(observed(cluster, operation), Date.now())
  for (const action of plan.actions) await act(client, { cluster, operation }, action)
  const patch = fencedStatusPatch(await client.get(NODE_OPERATIONS, refOf(operation)), plan.status)
  if (patch !== undefined) await client.patch(NODE_OPERATIONS, refOf(operation), patch, { subresource: 'status' })
}

async function act(
  client: KubeClient,
  { cluster, operation }: { cluster: ManagedCluster; operation: NodeOperation },
  action: NodeAction,
): Promise<void> {
  if (action.kind === 'AddFinalizer') await addFinalizer(client, NODE_OPERATIONS, operation, FINALIZER)
  if (action.kind === 'RemoveFinalizer') await removeFinalizer(client, NODE_OPERATIONS, operation, FINALIZER)
  if (action.kind !== 'SetCluster') return
  const patch = fencedStatusPatch(cluster, action.status)
  if (patch !== undefined) await client.patch(MANAGED_CLUSTERS, refOf(cluster), patch, { subresource: 'status' })
}

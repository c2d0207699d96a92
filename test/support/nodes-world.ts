/** A standing cluster of simulated nodes with its machines, workloads and operator, on one API server. Fast. */
import { CONFIG_MAPS, NAMESPACES, NODES, type Node } from '../../src/api/core-resources.ts'
import { customResourceDefinitions } from '../../src/api/v1alpha1/crds.ts'
import { withNodeOperationDefaults } from '../../src/api/v1alpha1/defaults.ts'
import type { ManagedCluster, NodeSettings } from '../../src/api/v1alpha1/managed-cluster.ts'
import type { NodeOperation, NodeOperationInput } from '../../src/api/v1alpha1/node-operation.ts'
import { MANAGED_CLUSTERS, NODE_OPERATIONS } from '../../src/api/v1alpha1/resources.ts'
import { createClusterInsight } from '../../src/controllers/cluster/insight.ts'
import { noMetrics } from '../../src/controllers/engine/controller-metrics.ts'
import { DISRUPTION_BUDGETS, DRAIN_PODS } from '../../src/controllers/node-operation/drain/kinds.ts'
import type { ClusterInsight } from '../../src/core/nodes/cluster-insight.ts'
import type { KubeClient } from '../../src/kube/client.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { createEventRecorder } from '../../src/kube/event-recorder.ts'
import { installCustomResources } from '../../src/kube/install-custom-resources.ts'
import type { Log } from '../../src/kube/log.ts'
import {
  createNodeCaches,
  createNodeDeps,
  type NodeDepsOptions,
  runNodeControllers,
  startNodeCaches,
} from '../../src/operator-nodes.ts'
import { startSimulatedCloud } from '../../src/providers/simulated/cloud.ts'
import { CLOUD_ANNOTATIONS } from '../../src/providers/simulated/script.ts'
import { startSimulatedWorld, type Timings } from '../../src/simulated-world/world.ts'
import {
  DEMO_CLUSTER,
  DEMO_CONFIG_MAP,
  DEMO_SIZE,
  type DemoSize,
  demoNodes,
  seedDemo,
} from '../../src/up/demo-nodes.ts'
import { HOST_KINDS, type HostKind } from './host-under-test.ts'
import { eventually } from './run.ts'

export const NAMESPACE = 'kobe-system'
/** Pods of the demo's workloads; its daemons, one on each worker, come on top. */
const DEMO_PODS = 12

const FAST: Partial<Timings> = {
  startDelayMs: 30,
  readyDelayMs: 30,
  stopDelayMs: 30,
  bootDelayMs: 100,
  nodeReadyDelayMs: 50,
  leaseRenewMs: 1_000,
  // A process that gets no time for a while is no node that failed.
  nodeGraceMs: 120_000,
  orphanGraceMs: 200,
}

export interface NodesOperator {
  readonly insight: ClusterInsight
  stop(): Promise<void>
}

/** The node it runs on, and where its metrics go. */
export type OperatorFacts = Pick<NodeDepsOptions, 'ownNode' | 'registry'>

export interface NodesWorld extends AsyncDisposable {
  readonly client: KubeClient
  readonly kubeconfig: string
  /** Errors and warnings of the operator. */
  readonly log: string[]
  /** Runs a replica of the operator until it is stopped. `through`: its way to the API, so that a test can break it. */
  startOperator(through?: (client: KubeClient) => KubeClient, options?: OperatorFacts): Promise<NodesOperator>
  script(annotations: Readonly<Record<string, string | null>>): Promise<void>
  want(group: string, settings: NodeSettings): Promise<void>
  /** Merges into the spec of the ManagedCluster. */
  patchCluster(spec: object): Promise<void>
  begin(name: string, spec?: Partial<NodeOperationInput['spec']>): Promise<NodeOperation>
  operation(name: string): Promise<NodeOperation>
  cluster(): Promise<ManagedCluster>
  nodes(): Promise<readonly Node[]>
  /** Resolves when the cluster is Running and all of its workloads are ready. */
  settled(): Promise<void>
  /** Resolves with the operation when it has ended, holds nothing any more, and the groups are counted anew. */
  ended(name: string, deadlineMs?: number): Promise<NodeOperation>
  until<T>(what: string, check: () => Promise<T | undefined | false>, deadlineMs?: number): Promise<T>
}

export interface NodesWorldOptions {
  readonly size?: DemoSize
  readonly host?: HostKind
  readonly timings?: Partial<Timings>
}

export async function startNodesWorld(options: NodesWorldOptions = {}): Promise<NodesWorld> {
  const size = options.size ?? DEMO_SIZE
  const host = await (options.host ?? HOST_KINDS[0]!).start()
  const client = host.client()
  const log: string[] = []
  await installCustomResources(client, customResourceDefinitions(), systemClock)
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
  const timings = { ...FAST, ...options.timings }
  const world = await startSimulatedWorld({ client, nodes: demoNodes(size), timings })
  await seedDemo(client, NAMESPACE, size)
  const cloud = await startSimulatedCloud({
    client,
    configMap: { namespace: NAMESPACE, name: DEMO_CONFIG_MAP },
    clock: systemClock,
  })
  const running: { stop(): Promise<void> }[] = []
  const of = { name: DEMO_CLUSTER, namespace: NAMESPACE }
  const nodesWorld: NodesWorld = {
    client,
    kubeconfig: host.kubeconfig,
    log,
    async startOperator(through = (direct) => direct, facts = {}) {
      const operator = await startNodesOperator(through(host.client()), warnings(log), facts)
      running.push(operator)
      return operator
    },
    async script(annotations) {
      const ref = { name: DEMO_CONFIG_MAP, namespace: NAMESPACE }
      await client.patch(CONFIG_MAPS, ref, { type: 'merge', body: { metadata: { annotations } } })
    },
    async want(group, settings) {
      const { spec } = await client.get(MANAGED_CLUSTERS, of)
      const nodeGroups = spec.nodeGroups.map((one) => (one.name === group ? { ...one, settings } : one))
      await client.patch(MANAGED_CLUSTERS, of, { type: 'merge', body: { spec: { nodeGroups } } })
    },
    async patchCluster(spec) {
      await client.patch(MANAGED_CLUSTERS, of, { type: 'merge', body: { spec } })
    },
    begin: (name, spec = {}) =>
      client.create(
        NODE_OPERATIONS,
        withNodeOperationDefaults({
          metadata: { name, namespace: NAMESPACE },
          spec: { type: 'Rollout', clusterRef: { name: DEMO_CLUSTER }, ...spec },
        }),
      ),
    operation: (name) => client.get(NODE_OPERATIONS, { name, namespace: NAMESPACE }),
    cluster: () => client.get(MANAGED_CLUSTERS, of),
    nodes: async () => (await client.list(NODES)).items,
    async settled() {
      await eventually('the cluster is Running and its workloads are ready', 60_000, async () => {
        const { items } = await client.list(DRAIN_PODS, { namespace: 'default' })
        const ready = items.filter(({ status }) =>
          status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
        )
        const budgets = await client.list(DISRUPTION_BUDGETS)
        const open = budgets.items.every(({ status }) => (status?.disruptionsAllowed ?? 0) > 0)
        const { status } = await nodesWorld.cluster()
        return open && ready.length === DEMO_PODS + size.workers && status?.state === 'Running'
      })
    },
    ended: (name, deadlineMs = 60_000) =>
      eventually(`operation ${name} has ended`, deadlineMs, async () => {
        const operation = await nodesWorld.operation(name)
        const phase = operation.status?.phase ?? 'Pending'
        const isOver = !['Pending', 'Running', 'Frozen'].includes(phase)
        const { status } = await nodesWorld.cluster()
        const isFree = status?.operation?.uid !== operation.metadata.uid
        return isOver && isFree && (await isCounted(nodesWorld)) && operation
      }),
    until: (what, check, deadlineMs = 30_000) => eventually(what, deadlineMs, check),
    async [Symbol.asyncDispose]() {
      await Promise.all(running.map((one) => one.stop()))
      await cloud.stop()
      await world.stop()
      await host.stop()
    },
  }
  await nodesWorld.script({ [CLOUD_ANNOTATIONS.stopTime]: '30ms', [CLOUD_ANNOTATIONS.startTime]: '30ms' })
  return nodesWorld
}

async function startNodesOperator(client: KubeClient, log: Log, facts: OperatorFacts): Promise<NodesOperator> {
  const stopping = new AbortController()
  const caches = createNodeCaches({ client, namespace: NAMESPACE, clock: systemClock, log })
  const recorder = createEventRecorder({ client, component: 'kobe', instance: 'test', clock: systemClock, log })
  const deps = createNodeDeps({ client, caches, recorder, metrics: () => noMetrics, clock: systemClock, log, ...facts })
  await startNodeCaches(caches, stopping.signal)
  const done = runNodeControllers(deps, stopping.signal)
  return {
    insight: createClusterInsight(deps),
    async stop() {
      stopping.abort()
      await done
      recorder.close()
      await Promise.all([caches.clusters.stopped(), caches.operations.stopped()])
    },
  }
}

function warnings(lines: string[]): Log {
  const write = (fields: object, message: string): void => {
    const { err, ...others } = fields as { err?: unknown }
    lines.push(`${message} ${JSON.stringify(others)} ${err instanceof Error ? err.message : ''}`)
  }
  const log: Log = { debug: () => undefined, info: () => undefined, warn: write, error: write, child: () => log }
  return log
}

/** The scanner counts a little later than an operation lets go. */
async function isCounted(world: NodesWorld): Promise<boolean> {
  const { spec, status } = await world.cluster()
  const nodes = await world.nodes()
  const ready = nodes.filter((node) =>
    node.status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  )
  const withNodes = new Set(spec.nodeGroups.filter(({ type }) => type !== 'etcd').map(({ name }) => name))
  const counted = (status?.groups ?? []).filter(({ name }) => withNodes.has(name))
  // Nodes whose machines were stopped are Ready for some time yet, and serve nobody.
  const serving = status?.state === 'Stopped' ? 0 : ready.length
  return counted.reduce((sum, { ready: one }) => sum + one, 0) === serving
}

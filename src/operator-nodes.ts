/** The controllers of standing clusters: what they share, and how their clusters are reached. */
import { Registry } from 'prom-client'
import { SECRETS } from './api/core-resources.ts'
import { KUBECONFIG_KEY, OPERATOR_NAME } from './api/v1alpha1/labels.ts'
import type { ManagedCluster } from './api/v1alpha1/managed-cluster.ts'
import { MANAGED_CLUSTERS, NODE_OPERATIONS } from './api/v1alpha1/resources.ts'
import { createClusterController } from './controllers/cluster/controller.ts'
import { BY_CLUSTER, type NodeCaches, type NodeDeps } from './controllers/cluster/deps.ts'
import { createHealthMonitor } from './controllers/cluster/health/monitor.ts'
import { createNodeMeter } from './controllers/cluster/meter.ts'
import { type ClosableClient, createSessions } from './controllers/cluster/sessions.ts'
import type { Controller } from './controllers/engine/controller.ts'
import { createOperationController } from './controllers/node-operation/controller.ts'
import type { KubeClient } from './kube/client.ts'
import type { Clock } from './kube/clock.ts'
import { KubeconfigError } from './kube/connection.ts'
import { createEventRecorder } from './kube/event-recorder.ts'
import { createFallbackClient, type FallbackOptions } from './kube/fallback-client.ts'
import { createInformer } from './kube/informer.ts'
import { createKubeClient } from './kube/kube-client.ts'
import type { Log } from './kube/log.ts'
import { ownWritesOf } from './operator-caches.ts'
import type { Provider } from './providers/provider.ts'
import { createSimulatedProvider } from './providers/simulated/simulated-provider.ts'
import { KOBE_VERSION } from './version.ts'

export interface NodeDepsOptions extends Pick<NodeDeps, 'recorder' | 'metrics'> {
  readonly client: KubeClient
  readonly caches: NodeCaches
  /** Who reports in Events of the clusters themselves. */
  readonly identity?: string
  /** Where metrics of clusters and operations go. Default: one of its own, which nobody reads. */
  readonly registry?: Registry
  /** Name of the Node that this process runs on: it goes last. */
  readonly ownNode?: string
  /** Default: all that this version has. */
  readonly providers?: readonly Provider[]
  /** How often the API servers of the clusters are asked whether they serve; see there for the defaults. */
  readonly probing?: Omit<FallbackOptions, 'clock'>
  readonly clock: Clock
  readonly log: Log
}

export interface NodeCacheOptions {
  readonly client: KubeClient
  readonly namespace: string
  readonly clock: Clock
  readonly log: Log
}

export function createNodeCaches({ client, namespace, clock, log }: NodeCacheOptions): NodeCaches {
  const common = { namespace, clock, log }
  return {
    clusters: createInformer(client, MANAGED_CLUSTERS, common),
    operations: createInformer(client, NODE_OPERATIONS, {
      ...common,
      indexes: { [BY_CLUSTER]: ({ spec }) => [spec.clusterRef.name] },
    }),
  }
}

/** Resolves when both caches are filled, or at abort. */
export async function startNodeCaches({ clusters, operations }: NodeCaches, signal: AbortSignal): Promise<void> {
  await Promise.all([clusters.start(signal), operations.start(signal)])
}

export function createNodeDeps(options: NodeDepsOptions): NodeDeps {
  const { client, caches, clock, log, recorder, metrics, ownNode } = options
  const sessions = createSessions({
    connect: (cluster) => connect(client, cluster, { ...options.probing, clock }),
    recorderOf: (inner) =>
      createEventRecorder({ client: inner, component: OPERATOR_NAME, instance: options.identity ?? '', clock, log }),
    clock,
    log,
  })
  const meter = createNodeMeter({ registry: options.registry ?? new Registry(), clock, log })
  const providers = options.providers ?? [createSimulatedProvider({ client, clock })]
  return {
    client,
    caches,
    clock,
    log,
    recorder,
    metrics,
    own: { clusters: ownWritesOf(caches.clusters), operations: ownWritesOf(caches.operations) },
    sessions,
    providers: new Map(providers.map((provider) => [provider.type, provider])),
    meter,
    health: createHealthMonitor({
      client,
      clock,
      log,
      tell: sessions.tell,
      checked: (result) => meter.checked(result),
    }),
    random: Math.random,
    ...(ownNode === undefined ? {} : { ownNode }),
  }
}

const CONTROLLERS: readonly ((deps: NodeDeps) => Controller)[] = [createClusterController, createOperationController]

/** Runs them until the signal aborts; resolves when the passes under way have ended and all connections are closed. */
export async function runNodeControllers(deps: NodeDeps, signal: AbortSignal): Promise<void> {
  deps.health.start()
  const stopMeter = deps.meter.follow(deps.caches)
  await Promise.all(CONTROLLERS.map((create) => create(deps).run(signal)))
  stopMeter()
  await deps.health.stop()
  await deps.sessions.close()
}

/** @throws KubeconfigError, KubeError */
async function connect(
  host: KubeClient,
  { metadata, spec }: ManagedCluster,
  probing: FallbackOptions,
): Promise<ClosableClient> {
  const { inCluster, kubeconfigSecretRef, endpoints } = spec.connection
  // The operator's own connections: they are not ours to close.
  const keep = (): void => undefined
  if (inCluster === true) return createFallbackClient([{ ...host, close: keep, disconnect: keep }], probing)
  const ref = { name: kubeconfigSecretRef?.name ?? '', namespace: metadata.namespace ?? '' }
  const { data } = await host.get(SECRETS, ref)
  const text = data?.[KUBECONFIG_KEY]
  if (text === undefined) throw new KubeconfigError(`Secret ${ref.name} has no key ${KUBECONFIG_KEY}`)
  const kubeconfig = Buffer.from(text, 'base64').toString('utf8')
  const userAgent = `kobe/${KOBE_VERSION}`
  const clients = [undefined, ...endpoints].map((server) =>
    createKubeClient({ kubeconfig, userAgent, ...(server === undefined ? {} : { server }) }),
  )
  return createFallbackClient(clients, probing)
}

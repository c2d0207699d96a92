/** What the controllers of standing clusters are given. Made once, by the composition root. */
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import type { Informer } from '../../kube/informer.ts'
import type { Log } from '../../kube/log.ts'
import type { OwnWrites } from '../../kube/own-writes.ts'
import type { Provider } from '../../providers/provider.ts'
import type { ControllerMetrics } from '../engine/controller-metrics.ts'
import type { HealthMonitor } from './health/monitor.ts'
import type { NodeMeter } from './meter.ts'
import type { Sessions } from './sessions.ts'

/** Index of operations by the name of their cluster. */
export const BY_CLUSTER = 'cluster'

export interface NodeCaches {
  readonly clusters: Informer<ManagedCluster>
  /** Indexed: `BY_CLUSTER`. */
  readonly operations: Informer<NodeOperation>
}

export interface NodeDeps {
  /** Of the API server that holds the ManagedClusters. */
  readonly client: KubeClient
  readonly caches: NodeCaches
  /** Shared, so that the two controllers see each other's writes at once. */
  readonly own: { readonly clusters: OwnWrites<ManagedCluster>; readonly operations: OwnWrites<NodeOperation> }
  /** Connections to the clusters themselves. */
  readonly sessions: Sessions
  /** What runs machines, by type. */
  readonly providers: ReadonlyMap<string, Provider>
  /** Health checks that the clusters name. */
  readonly health: HealthMonitor
  /** Name of the Node that this process runs on: it goes last. */
  readonly ownNode?: string
  readonly clock: Clock
  readonly log: Log
  readonly recorder: EventRecorder
  readonly meter: NodeMeter
  /** By the name of the controller. */
  readonly metrics: (controller: string) => ControllerMetrics
  /** In [0, 1). */
  readonly random: () => number
}

/**
 * Connections to standing clusters, each with the caches that a run needs: one watch per kind, no polling of nodes or pods. A
 * session is opened when its cluster is first looked at, and closed when the cluster is gone or is reached in another way. While its
 * watches are not open it says so: what its caches hold then is old. When that lasts it is opened anew.
 */

import type { Node } from '../../api/core-resources.ts'
import { NODES } from '../../api/core-resources.ts'
import type { KubeObject, ResourceType } from '../../api/resource.ts'
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { DisruptionBudget } from '../../core/drain/model.ts'
import type { RoomPod } from '../../core/drain/room.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import type { EventRecorder } from '../../kube/event-recorder.ts'
import { createInformer, type Informer, type InformerOptions } from '../../kube/informer.ts'
import type { Log } from '../../kube/log.ts'
import { objectKey } from '../../kube/object-key.ts'
import { DAEMON_SETS, DISRUPTION_BUDGETS, DRAIN_PODS } from '../node-operation/drain/kinds.ts'
import { followClient } from './followed-client.ts'
import { DEPLOYMENTS, STATEFUL_SETS, type StatefulSet, type Workload } from './workload-kinds.ts'

/** For Events that are not written yet when a session is closed. */
const FLUSH_MS = 1_000

/** Index of pods by the name of their node. */
export const BY_NODE = 'node'

export interface ClusterSession {
  readonly client: KubeClient
  /** Events about its objects. */
  readonly recorder: EventRecorder
  readonly nodes: Informer<Node>
  /** Indexed: `BY_NODE`. */
  readonly pods: Informer<RoomPod>
  readonly budgets: Informer<DisruptionBudget>
  readonly daemonSets: Informer<KubeObject>
  /** Watched from the first call on; undefined until their caches are filled, and whenever those are behind. */
  workloads(): WorkloadCaches | undefined
  /** The caches have been filled, and every change since is told: what they hold is how things are. */
  isCurrent(): boolean
}

export interface WorkloadCaches {
  readonly deployments: Informer<Workload>
  readonly statefulSets: Informer<StatefulSet>
}

export interface ClosableClient extends KubeClient {
  close?(): void
}

export interface SessionsOptions {
  /** @throws when the kubeconfig is missing or unusable. */
  readonly connect: (cluster: ManagedCluster) => Promise<ClosableClient>
  readonly recorderOf: (client: KubeClient) => EventRecorder
  readonly clock: Clock
  readonly log: Log
}

export interface Sessions {
  /** The session of a cluster, opened when there is none. @throws when it cannot be reached at all */
  of(cluster: ManagedCluster): Promise<ClusterSession>
  /** Tells the `namespace/name` of a cluster whenever one of its nodes, pods or budgets has changed, or `tell` was called. */
  on(listener: (cluster: string) => void): () => void
  /** Something else about the cluster has changed. */
  tell(cluster: string): void
  forget(cluster: string): Promise<void>
  close(): Promise<void>
}

interface Held {
  readonly reachedBy: string
  readonly session: ClusterSession
  /** When it was opened, or seen to be current; monotonic. */
  goodAt: number
  wasCurrent: boolean
  close(): Promise<void>
}

/**
 * So long a session may be behind before it is opened anew: its credentials may have been replaced. One that has never been current
 * may still be reading a large cluster.
 */
const PATIENCE_MS = { reading: 300_000, behind: 60_000 }

export function createSessions(options: SessionsOptions): Sessions {
  const held = new Map<string, Held>()
  /** Two passes that look for the session of a cluster at once get the same. */
  const turns = new Map<string, Promise<unknown>>()
  const listeners = new Set<(cluster: string) => void>()
  const tell = (cluster: string): void => {
    for (const listener of listeners) listener(cluster)
  }
  const inTurn = <R>(key: string, act: () => Promise<R>): Promise<R> => {
    const turn = (turns.get(key) ?? Promise.resolve()).then(act)
    const settled = turn.then(
      () => undefined,
      () => undefined,
    )
    turns.set(key, settled)
    return turn
  }
  const close = async (key: string): Promise<void> => {
    const open = held.get(key)
    held.delete(key)
    await open?.close()
  }
  const current = async (key: string, cluster: ManagedCluster): Promise<ClusterSession> => {
    const reachedBy = JSON.stringify([cluster.metadata.uid, cluster.spec.connection])
    const present = held.get(key)
    if (present?.reachedBy === reachedBy && isGood(present, options.clock.monotonic())) return present.session
    await close(key)
    const opened = await open(options, cluster, { reachedBy, tell: () => tell(key) })
    held.set(key, opened)
    return opened.session
  }
  const forget = async (key: string): Promise<void> => {
    await inTurn(key, () => close(key))
    turns.delete(key)
  }
  return {
    of: (cluster) => inTurn(objectKey(cluster), () => current(objectKey(cluster), cluster)),
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    tell,
    forget,
    async close() {
      await Promise.all([...turns.keys()].map(forget))
    },
  }
}

function isGood(held: Held, now: number): boolean {
  if (held.session.isCurrent()) {
    held.goodAt = now
    held.wasCurrent = true
  }
  return now - held.goodAt < (held.wasCurrent ? PATIENCE_MS.behind : PATIENCE_MS.reading)
}

async function open(
  { connect, recorderOf, clock, log }: SessionsOptions,
  cluster: ManagedCluster,
  { reachedBy, tell }: { reachedBy: string; tell: () => void },
): Promise<Held> {
  const closable = await connect(cluster)
  const followed = followClient(closable, clock, tell)
  const { client } = followed
  const stopping = new AbortController()
  const caches: Cache[] = []
  const cache = <T extends KubeObject>(type: ResourceType<T>, indexes: InformerOptions<T>['indexes'] = {}) => {
    const informer = createInformer(client, type, { clock, log: log.child({ cluster: objectKey(cluster) }), indexes })
    caches.push({ informer, filled: informer.start(stopping.signal) })
    informer.on(tell)
    return informer
  }
  const isCurrent = (...of: readonly Informer<KubeObject>[]): boolean =>
    of.every((informer) => informer.hasSynced() && followed.isFollowing(informer.type))
  const nodes = cache(NODES)
  const pods = cache(DRAIN_PODS, { [BY_NODE]: ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]) })
  const budgets = cache(DISRUPTION_BUDGETS)
  const daemonSets = cache(DAEMON_SETS)
  let workloads: WorkloadCaches | undefined
  const recorder = recorderOf(client)
  return {
    reachedBy,
    goodAt: clock.monotonic(),
    wasCurrent: false,
    session: {
      client,
      recorder,
      nodes,
      pods,
      budgets,
      daemonSets,
      isCurrent: () => isCurrent(nodes, pods, budgets, daemonSets),
      workloads() {
        workloads ??= { deployments: cache(DEPLOYMENTS), statefulSets: cache(STATEFUL_SETS) }
        return isCurrent(workloads.deployments, workloads.statefulSets) ? workloads : undefined
      },
    },
    async close() {
      stopping.abort()
      await recorder.flush(FLUSH_MS)
      recorder.close()
      await Promise.all(caches.map(({ filled }) => filled))
      await Promise.all(caches.map(({ informer }) => informer.stopped()))
      closable.close?.()
    },
  }
}

interface Cache {
  readonly informer: Informer<KubeObject>
  readonly filled: Promise<void>
}

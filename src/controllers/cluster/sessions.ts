/**
 * Connections to standing clusters, each with the caches that a run needs: one watch per kind, no polling of nodes or pods. A
 * session is opened when its cluster is first looked at, and closed when the cluster is gone or is reached in another way.
 */

import type { Node } from '../../api/core-resources.ts'
import { NODES } from '../../api/core-resources.ts'
import type { KubeObject } from '../../api/resource.ts'
import type { ManagedCluster } from '../../api/v1alpha1/managed-cluster.ts'
import type { DisruptionBudget } from '../../core/drain/model.ts'
import type { RoomPod } from '../../core/drain/room.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import { createInformer, type Informer } from '../../kube/informer.ts'
import type { Log } from '../../kube/log.ts'
import { objectKey } from '../../kube/object-key.ts'
import { DAEMON_SETS, DISRUPTION_BUDGETS, DRAIN_PODS } from '../node-operation/drain/kinds.ts'

/** Index of pods by the name of their node. */
export const BY_NODE = 'node'

export interface ClusterSession {
  readonly client: KubeClient
  readonly nodes: Informer<Node>
  /** Indexed: `BY_NODE`. */
  readonly pods: Informer<RoomPod>
  readonly budgets: Informer<DisruptionBudget>
  readonly daemonSets: Informer<KubeObject>
  /** Every cache has been filled once. */
  hasSynced(): boolean
}

export interface ClosableClient extends KubeClient {
  close?(): void
}

export interface SessionsOptions {
  /** @throws when the kubeconfig is missing or unusable. */
  readonly connect: (cluster: ManagedCluster) => Promise<ClosableClient>
  readonly clock: Clock
  readonly log: Log
}

export interface Sessions {
  /** The session of a cluster, opened when there is none. @throws when it cannot be reached at all */
  of(cluster: ManagedCluster): Promise<ClusterSession>
  /** Tells the `namespace/name` of a cluster whenever one of its nodes, pods or budgets has changed. */
  on(listener: (cluster: string) => void): () => void
  forget(cluster: string): Promise<void>
  close(): Promise<void>
}

interface Held {
  readonly reachedBy: string
  readonly session: ClusterSession
  close(): Promise<void>
}

export function createSessions(options: SessionsOptions): Sessions {
  const held = new Map<string, Promise<Held>>()
  const listeners = new Set<(cluster: string) => void>()
  const tell = (cluster: string): void => {
    for (const listener of listeners) listener(cluster)
  }
  const forget = async (key: string): Promise<void> => {
    const opened = held.get(key)
    held.delete(key)
    await opened?.then(
      (one) => one.close(),
      () => undefined,
    )
  }
  return {
    async of(cluster) {
      const key = objectKey(cluster)
      const reachedBy = JSON.stringify([cluster.metadata.uid, cluster.spec.connection])
      const present = await held.get(key)?.catch(() => undefined)
      if (present?.reachedBy === reachedBy) return present.session
      await forget(key)
      const opening = open(options, cluster, { reachedBy, tell: () => tell(key) })
      held.set(key, opening)
      try {
        return (await opening).session
      } catch (error) {
        held.delete(key)
        throw error
      }
    },
    on(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    forget,
    async close() {
      await Promise.all([...held.keys()].map(forget))
    },
  }
}

async function open(
  { connect, clock, log }: SessionsOptions,
  cluster: ManagedCluster,
  { reachedBy, tell }: { reachedBy: string; tell: () => void },
): Promise<Held> {
  const client = await connect(cluster)
  const common = { clock, log: log.child({ cluster: objectKey(cluster) }) }
  const nodes = createInformer(client, NODES, common)
  const pods = createInformer(client, DRAIN_PODS, {
    ...common,
    indexes: { [BY_NODE]: ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]) },
  })
  const budgets = createInformer(client, DISRUPTION_BUDGETS, common)
  const daemonSets = createInformer<KubeObject>(client, DAEMON_SETS, common)
  const caches: readonly Informer<KubeObject>[] = [nodes, pods, budgets, daemonSets]
  const stopping = new AbortController()
  const filled = Promise.all(caches.map((cache) => cache.start(stopping.signal)))
  for (const cache of caches) cache.on(tell)
  const hasSynced = (): boolean => caches.every((cache) => cache.hasSynced())
  return {
    reachedBy,
    session: { client, nodes, pods, budgets, daemonSets, hasSynced },
    async close() {
      stopping.abort()
      await filled
      await Promise.all(caches.map((cache) => cache.stopped()))
      client.close?.()
    },
  }
}

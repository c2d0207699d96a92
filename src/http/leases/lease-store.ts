/**
 * Leases as this replica knows them: the informer cache, plus what it wrote itself and the cache has not shown yet. Without
 * the second part a client that creates a lease and asks for it at once would be told that it does not exist.
 */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import { isKubeError } from '../../kube/errors.ts'
import { compareResourceVersions } from '../../kube/resource-version.ts'
import type { ObjectCache } from '../deps.ts'
import { createLeaseSignals } from './lease-signals.ts'

export interface LeaseStore {
  /** Newest state known here, without asking the API server. */
  peek(name: string): ClusterLease | undefined
  /** `peek`, and the API server's answer when nothing is known. */
  find(name: string): Promise<ClusterLease | undefined>
  /** The API server's answer. */
  read(name: string): Promise<ClusterLease | undefined>
  list(): ClusterLease[]
  /** Takes note of an own write. */
  wrote(lease: ClusterLease): void
  /** Called after each change of that lease, its end included. */
  onChange(name: string, listener: () => void): () => void
  /** Called with the name of every lease that changes. */
  onAnyChange(listener: (name: string) => void): () => void
  close(): void
}

export interface LeaseStoreDeps {
  readonly cache: ObjectCache<ClusterLease>
  readonly client: KubeClient
  readonly clock: Clock
  readonly namespace: string
}

/** An own write that the cache never shows (the lease was gone before) is forgotten after this time. */
const OWN_WRITE_TTL_MS = 5_000

interface OwnWrite {
  readonly lease: ClusterLease
  cancelTimer(): void
}

export function createLeaseStore({ cache, client, clock, namespace }: LeaseStoreDeps): LeaseStore {
  const ownWrites = new Map<string, OwnWrite>()
  const signals = createLeaseSignals()

  const forget = (name: string): void => {
    ownWrites.get(name)?.cancelTimer()
    ownWrites.delete(name)
  }
  const unsubscribe = cache.on(({ type, object }) => {
    if (object.metadata.namespace !== namespace) return
    const name = object.metadata.name ?? ''
    const own = ownWrites.get(name)
    if (own !== undefined && (type === 'DELETED' || !isOlder(object, own.lease))) forget(name)
    signals.announce(name)
  })

  const peek = (name: string): ClusterLease | undefined => newer(ownWrites.get(name)?.lease, cache.get(namespace, name))
  const read = async (name: string): Promise<ClusterLease | undefined> => {
    try {
      return await client.get(CLUSTER_LEASES, { name, namespace })
    } catch (error) {
      if (isKubeError(error, 'NotFound')) return undefined
      throw error
    }
  }
  const wrote = (lease: ClusterLease): void => {
    const name = lease.metadata.name ?? ''
    if (!isOlder(lease, peek(name))) {
      forget(name)
      ownWrites.set(name, { lease, cancelTimer: clock.setTimer(OWN_WRITE_TTL_MS, () => ownWrites.delete(name)) })
    }
    signals.announce(name)
  }
  return {
    peek,
    read,
    wrote,
    async find(name) {
      const known = peek(name)
      if (known !== undefined) return known
      const lease = await read(name)
      // Newer than the cache, as an own write is: a wait that follows must know it too.
      if (lease !== undefined) wrote(lease)
      return lease
    },
    list() {
      const cached = cache.list().filter((lease) => lease.metadata.namespace === namespace)
      const names = new Set([...cached.map((lease) => lease.metadata.name ?? ''), ...ownWrites.keys()])
      return [...names].map(peek).filter((lease) => lease !== undefined)
    },
    onChange: signals.on,
    onAnyChange: signals.onAny,
    close() {
      unsubscribe()
      for (const name of [...ownWrites.keys()]) forget(name)
    },
  }
}

function newer(own: ClusterLease | undefined, cached: ClusterLease | undefined): ClusterLease | undefined {
  if (own === undefined || cached === undefined) return own ?? cached
  return isOlder(cached, own) ? own : cached
}

/** Unordered versions count as newer: the cache is the authority in doubt. */
function isOlder(lease: ClusterLease, than: ClusterLease | undefined): boolean {
  if (than === undefined) return false
  const order = compareResourceVersions(lease.metadata.resourceVersion, than.metadata.resourceVersion)
  return order !== undefined && order < 0
}

/**
 * Leases as this replica knows them: the informer cache, plus what it wrote itself and the cache has not shown yet. Without
 * the second part a client that creates a lease and asks for it at once would be told that it does not exist.
 */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import { compareResourceVersions } from '../../kube/resource-version.ts'
import { requesterKey } from '../auth/principal.ts'
import type { ObjectCache } from '../deps.ts'
import { createNameSignals } from '../name-signals.ts'
import { readObject } from '../read-object.ts'
import { createLeaseNames, type LeaseNames } from './lease-names.ts'

export interface LeaseStore {
  /** Newest state known here, without asking the API server. */
  peek(name: string): ClusterLease | undefined
  /** `peek`, and the API server's answer when nothing is known. */
  find(name: string): Promise<ClusterLease | undefined>
  /** The API server's answer. */
  read(name: string): Promise<ClusterLease | undefined>
  list(): ClusterLease[]
  /** Those of one principal, `principalKey`. */
  ofRequester(key: string): ClusterLease[]
  ofPool(pool: string): ClusterLease[]
  /** Every lease that exists at this resourceVersion, and is not gone since, is known here. Empty: none can be named. */
  knownUpTo(): string
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

const requesterOf = ({ spec }: ClusterLease): string => requesterKey(spec.requester)
const poolOf = ({ spec }: ClusterLease): string => spec.poolRef

export function createLeaseStore({ cache, client, clock, namespace }: LeaseStoreDeps): LeaseStore {
  const ownWrites = new Map<string, OwnWrite>()
  const signals = createNameSignals()
  const byRequester = createLeaseNames(requesterOf)
  const byPool = createLeaseNames(poolOf)

  const forget = (name: string): void => {
    ownWrites.get(name)?.cancelTimer()
    ownWrites.delete(name)
  }
  const appeared = (lease: ClusterLease): void => {
    for (const names of [byRequester, byPool]) names.add(lease)
  }
  const vanished = (lease: ClusterLease): void => {
    for (const names of [byRequester, byPool]) names.remove(lease)
  }
  const remember = (name: string, lease: ClusterLease): void => {
    forget(name)
    appeared(lease)
    const cancelTimer = clock.setTimer(OWN_WRITE_TTL_MS, () => {
      ownWrites.delete(name)
      if (cache.get(namespace, name) === undefined) vanished(lease)
    })
    ownWrites.set(name, { lease, cancelTimer })
  }
  const unsubscribe = cache.on(({ type, object }) => {
    if (object.metadata.namespace !== namespace) return
    const name = object.metadata.name ?? ''
    const isGone = type === 'DELETED'
    const own = ownWrites.get(name)
    if (own !== undefined && (isGone || !isOlder(object, own.lease))) forget(name)
    ;(isGone ? vanished : appeared)(object)
    signals.announce(name)
  })

  const peek = (name: string): ClusterLease | undefined => newer(ownWrites.get(name)?.lease, cache.get(namespace, name))
  const wrote = (lease: ClusterLease): void => {
    const name = lease.metadata.name ?? ''
    if (!isOlder(lease, peek(name))) remember(name, lease)
    signals.announce(name)
  }
  const read = (name: string) => readObject(client, CLUSTER_LEASES, { name, namespace })
  return {
    ...views({ cache, namespace, byRequester, byPool, peek, ownNames: () => ownWrites.keys() }),
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
    onChange: signals.on,
    onAnyChange: signals.onAny,
    close() {
      unsubscribe()
      for (const name of [...ownWrites.keys()]) forget(name)
    },
  }
}

interface Viewed extends Pick<LeaseStoreDeps, 'cache' | 'namespace'> {
  readonly byRequester: LeaseNames
  readonly byPool: LeaseNames
  peek(name: string): ClusterLease | undefined
  ownNames(): Iterable<string>
}

function views({ cache, namespace, byRequester, byPool, peek, ownNames }: Viewed) {
  const named = (names: Iterable<string>): ClusterLease[] =>
    [...names].map(peek).filter((lease): lease is ClusterLease => lease !== undefined)
  return {
    list(): ClusterLease[] {
      const cached = cache.list().filter((lease) => lease.metadata.namespace === namespace)
      return named(new Set([...cached.map((lease) => lease.metadata.name ?? ''), ...ownNames()]))
    },
    ofRequester: (key: string) => named(byRequester.of(key)).filter((lease) => requesterOf(lease) === key),
    ofPool: (pool: string) => named(byPool.of(pool)).filter((lease) => poolOf(lease) === pool),
    knownUpTo: () => cache.lastResourceVersion?.() ?? '',
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

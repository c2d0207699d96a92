/**
 * Requests of people, answered by the real admission and the real writes of the HTTP API. Every ask is answered by a replica
 * that has just started and whose cache is empty: what it knows it has read.
 */
import type { AccessPolicy } from '../../../src/api/v1alpha1/access-policy.ts'
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { CLUSTER_LEASES } from '../../../src/api/v1alpha1/resources.ts'
import { createAdmission } from '../../../src/http/leases/admission.ts'
import type { LeaseRequest } from '../../../src/http/leases/lease-request.ts'
import { createLeaseStore } from '../../../src/http/leases/lease-store.ts'
import { createLeaseWrites, type LeaseWrites } from '../../../src/http/leases/lease-writes.ts'
import { silentLog } from '../../../src/kube/log.ts'
import { create } from './api-server.ts'
import { cacheOf } from './cache.ts'
import type { Ask } from './config.ts'
import type { Begin, Ran } from './operator-pass.ts'
import { openSession, type Session } from './session.ts'
import { blame, keyOf, leasesOf, NAMESPACE, ofKind, type World } from './world.ts'

export const TTL_MS = 600_000
const LASTING_MS = 8_760 * 3_600_000

const policiesOf = ({ objects }: World): readonly AccessPolicy[] => ofKind(objects, 'accesspolicies')

function requestOf(world: World, ask: Ask): LeaseRequest {
  const [rule] = policiesOf(world).find(({ metadata }) => metadata.name === ask.by)?.spec.rules ?? []
  if (rule === undefined) throw new TypeError(`${ask.by} has no policy`)
  return {
    principal: { identity: ask.by, type: ask.by, policyName: ask.by, rule },
    pool: 'ci-small',
    ttlMs: world.config.expires === true ? TTL_MS : LASTING_MS,
    cleanupMode: 'Standard',
    allowStale: true,
    ...(ask.idles === true ? { idleTimeout: '10m' } : {}),
    ...(ask.key === undefined ? {} : { idempotency: { keyHash: keyHash(ask), requestHash: ask.by } }),
  }
}

/** As long as a real one is, and different for every key and person. */
const keyHash = ({ by, key = '' }: Ask): string => `${key}${by}`.padEnd(32, '0')

export async function runAsk(start: World, number: number, { about, from, fault }: Begin): Promise<Ran> {
  const ask = start.config.asks[number] as Ask
  if (ask.direct === true) return { world: direct(start, ask), writes: [] }
  const serial = from?.serial ?? start.serial
  const session = openSession(start, from?.answers, fault)
  const deps = depsOf(start, session, serial * 10 + number)
  const pool = start.objects.get(keyOf('clusterpools', 'ci-small')) as ClusterPool
  const answer = createAdmission(deps)
    .admit(requestOf(start, ask), pool)
    .then(
      ({ lease }) => ({ lease }),
      () => ({ lease: undefined }),
    )
  const ended = await Promise.race([answer, session.stopped])
  const { writes, answers } = session
  if (!('verb' in ended)) return { world: told(session.world(), ask, ended.lease), writes }
  const fences = [fenceOf(start, session, ended.name)]
  const suspended = { about, seen: start.objects, serial, answers, next: ended, rest: `${answers.length}`, fences }
  return { world: session.world(), writes, suspended }
}

/** A record is replaced as it was read, or created when there was none; so is a lease. */
function fenceOf({ objects }: World, { known }: Session, name: string) {
  const record = known.find(({ plural, object }) => plural === 'configmaps' && object.metadata.name === name)
  const plural = objects.has(keyOf('configmaps', name)) || record !== undefined ? 'configmaps' : 'clusterleases'
  return { key: keyOf(plural, name), version: record?.object.metadata.resourceVersion }
}

function depsOf(world: World, { client }: Session, serial: number) {
  let given = 0
  const clock = {
    now: () => world.now,
    monotonic: () => 0,
    after: () => Promise.resolve(),
    setTimer: () => () => undefined,
  }
  const store = createLeaseStore({
    cache: cacheOf<ClusterLease>(new Map(), 'clusterleases'),
    client,
    clock,
    namespace: NAMESPACE,
  })
  const hex = (): string => {
    given += 1
    return `${serial}`.padStart(8, '0') + `${given}`.padStart(4, '0')
  }
  return { client, clock, log: silentLog, namespace: NAMESPACE, random: { hex, uuid: hex }, store }
}

/** I10: while the lease of a key lives, everybody who asks with that key is told of that very lease. */
function told(world: World, ask: Ask, lease: ClusterLease | undefined): World {
  if (lease === undefined || ask.key === undefined) return world
  const key = keyHash(ask)
  const before = world.answered.get(key)
  const alive = leasesOf(world).some(({ metadata }) => metadata.uid === before)
  const same = before === undefined || !alive || before === lease.metadata.uid
  const answered = new Map(world.answered).set(key, lease.metadata.uid ?? '')
  return blame({ ...world, answered }, same, `I10: one key of ${ask.by} was answered with two leases`)
}

/** With kubectl: no admission, and no place in it. */
function direct(world: World, { by, idles, priority = 50 }: Ask): World {
  const name = `lease-${String(world.serial).padStart(12, '0')}`
  const lease = {
    metadata: { name, namespace: NAMESPACE },
    spec: {
      poolRef: 'ci-small',
      ttl: world.config.expires === true ? '10m' : '8760h',
      requester: { type: by, identity: by },
      priority,
      cleanupMode: 'Standard',
      allowStale: true,
      ...(idles === true ? { idleTimeout: '10m' } : {}),
    },
  }
  return create(world, CLUSTER_LEASES, lease).world
}

/** Release, extension or heartbeat of a lease; what is refused changes nothing. */
export async function runWrite(start: World, lease: ClusterLease, verb: keyof LeaseWrites): Promise<World> {
  const session = openSession(start)
  const deps = depsOf(start, session, start.serial)
  const writes = createLeaseWrites({ ...deps, policies: () => policiesOf(start) })
  const act = verb === 'extend' ? writes.extend(lease, TTL_MS) : writes[verb](lease)
  await act.catch(() => undefined)
  return session.world()
}

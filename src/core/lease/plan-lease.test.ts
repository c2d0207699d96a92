import { describe, expect, test } from 'vitest'
import { formatTimestamp as at } from '../../api/timestamp.ts'
import { findCondition } from '../../api/v1alpha1/conditions.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import {
  aBinding,
  aLease,
  aLeased,
  anInstance,
  aPool,
  aReady,
  HASH_A,
  HASH_B,
  type LeaseOptions,
  MINUTE,
  SECOND,
  scaling,
  T0,
} from '../testing/builders.ts'
import { leaseStatusChanged, releasedStatus } from './lease-status.ts'
import type { LeaseObserved } from './observed.ts'
import { planLease } from './plan-lease.ts'

const pool = aPool({}, { status: { currentSpecHash: HASH_A } as NonNullable<ReturnType<typeof aPool>['status']> })
const healthy = (...ns: number[]) => new Map(ns.map((n) => [`uid-${n}`, { healthy: true, at: T0 }]))

function observe(options: LeaseOptions = {}, over: Partial<LeaseObserved> = {}): LeaseObserved {
  const lease = aLease(options)
  return {
    lease,
    pool,
    pending: [lease],
    instances: [],
    bound: { state: 'none' },
    probes: healthy(1, 2, 3),
    lastServed: new Map(),
    supportsVerifiedDestroy: false,
    connectTokenExists: false,
    bindingId: 'new-binding',
    ...over,
  }
}
const deeds = (observed: LeaseObserved, now = T0) =>
  planLease(observed, now).actions.map((action) =>
    'name' in action ? `${action.kind} ${action.name.split('-').at(-1)}` : action.kind,
  )
const next = (observed: LeaseObserved, now = T0) => planLease(observed, now).status
const silent = (observed: LeaseObserved, now = T0) => !leaseStatusChanged(observed.lease, next(observed, now))
const why = (observed: LeaseObserved, now = T0) => findCondition(next(observed, now).conditions, 'Satisfiable')?.reason
const boundCause = (observed: LeaseObserved, now = T0) => findCondition(next(observed, now).conditions, 'Bound')

const times = { boundAt: at(T0), expiresAt: at(T0 + 60 * MINUTE) }
const instance = aLeased({ n: 1 })
const binding = instance.status!.binding!
const live = (options: LeaseOptions = {}, over: Partial<LeaseObserved> = {}) =>
  observe(
    { phase: 'Bound', clusterName: 'pool-ci-small-1', binding, ...times, ...options },
    { bound: { state: 'found', instance }, connectTokenExists: true, ...over },
  )

describe('binding', () => {
  test('is three writes in order: intent, reservation, Bound', () => {
    const plan = planLease(observe({}, { instances: [aReady({ n: 1 })] }), T0)
    expect(plan.actions.map(({ kind }) => kind)).toEqual(['RecordIntent', 'ReserveInstance', 'CreateConnectToken'])
    expect(plan.actions[1]).toMatchObject({
      name: 'pool-ci-small-1',
      uid: 'uid-1',
      resourceVersion: '1',
      binding: { bindingId: 'new-binding' },
    })
    expect(plan.status).toMatchObject({
      phase: 'Bound',
      clusterName: 'pool-ci-small-1',
      boundAt: at(T0),
      expiresAt: at(T0 + 60 * MINUTE),
      maxExtensions: 2,
      queuePosition: 0,
    })
    expect(plan.status.binding).toMatchObject({
      lease: { uid: 'uid-lease-1' },
      instance: { uid: 'uid-1' },
      instanceSpecDigest: HASH_A,
    })
  })

  test('the member is probed first, unless it passed within the last two seconds', () => {
    const instances = [aReady({ n: 1 })]
    expect(deeds(observe({}, { instances, probes: new Map() }))).toEqual(['ProbeCandidate 1'])
    expect(deeds(observe({}, { instances }), T0 + 2 * SECOND)).toEqual(['ProbeCandidate 1'])
    expect(deeds(observe({}, { instances }), T0 + SECOND)[0]).toBe('RecordIntent')
  })

  test('one that just failed its probe is passed over, and tried again later', () => {
    const probes = new Map([...healthy(2), ['uid-1', { healthy: false, at: T0 }]] as const)
    expect(deeds(observe({}, { instances: [aReady({ n: 1 }), aReady({ n: 2 })], probes }))[1]).toBe('ReserveInstance 2')
    const plan = planLease(observe({}, { instances: [aReady({ n: 1 })], probes }), T0)
    expect(plan.actions).toEqual([])
    expect(plan.requeueAfterMs).toBe(2 * SECOND)
  })

  test.each<[string, ReturnType<typeof aReady>[], string | undefined]>([
    [
      'current template first, then the oldest',
      [
        aReady({ n: 1, specHash: HASH_B }),
        aReady({ n: 3, createdAt: T0 - MINUTE }),
        aReady({ n: 2, createdAt: T0 - 9 * MINUTE }),
      ],
      'ReserveInstance 2',
    ],
    ['an outdated one when there is no other', [aReady({ n: 1, specHash: HASH_B })], 'ReserveInstance 1'],
    ['never one that is leased', [aLeased({ n: 1 }), aReady({ n: 2 })], 'ReserveInstance 2'],
    [
      'never one with a left-over binding',
      [aReady({ n: 1, binding: aBinding(aReady({ n: 1 }), 'x') }), aReady({ n: 2 })],
      'ReserveInstance 2',
    ],
    ['never one that is being deleted', [aReady({ n: 1, deleting: true }), aReady({ n: 2 })], 'ReserveInstance 2'],
    [
      'never one that is not Ready',
      [anInstance({ n: 1 }), aReady({ n: 1, phase: 'Unhealthy' }), aReady({ n: 2 })],
      'ReserveInstance 2',
    ],
    [
      'one that lacks what a binding names is skipped, not waited for',
      [aReady({ n: 1, createdWith: { operatorVersion: 'x' } }), aReady({ n: 2 })],
      'ReserveInstance 2',
    ],
  ])('%s', (_name, instances, expected) => {
    expect(deeds(observe({}, { instances }))[1]).toBe(expected)
  })

  test('a lease that refuses outdated members is not given one, and does not block the next', () => {
    const picky = aLease({ name: 'lease-1', createdAt: T0 - MINUTE, spec: { allowStale: false } })
    const easy = aLease({ name: 'lease-2' })
    const over = { pending: [picky, easy], instances: [aReady({ n: 1, specHash: HASH_B })] }
    expect(deeds(observe({}, { ...over, lease: picky }))).toEqual([])
    expect(deeds(observe({}, { ...over, lease: easy }))[1]).toBe('ReserveInstance 1')
  })

  test('leases take different members, in the order of the queue', () => {
    const leases = [1, 2, 3].map((n) => aLease({ name: `lease-${n}`, createdAt: T0 + n * SECOND }))
    const instances = [aReady({ n: 1 }), aReady({ n: 2 })]
    const taken = leases.map((lease) => deeds(observe({}, { lease, pending: leases, instances }))[1])
    expect(taken).toEqual(['ReserveInstance 1', 'ReserveInstance 2', undefined])
  })

  test('a member that another half-done binding has chosen is not free', () => {
    const other = aLease({ name: 'lease-2', binding: aBinding(aReady({ n: 1 }), 'lease-2') })
    const observed = observe({}, { instances: [aReady({ n: 1 })] })
    expect(deeds({ ...observed, pending: [observed.lease, other] })).toEqual([])
  })

  test.each<[string, LeaseOptions, Partial<LeaseObserved>, number, string]>([
    ['the policy caps the ttl', {}, { policy: { maxTtlMs: MINUTE, maxExtensions: 5 } }, MINUTE, 'Info'],
    ['a bad ttl is that of the pool', { spec: { ttl: 'soon' } }, {}, 120 * MINUTE, 'Warning'],
    [
      'which may be bad too',
      { spec: { ttl: 'soon' } },
      { pool: { ...pool, spec: { ...pool.spec, ttl: 'later' } } },
      60 * MINUTE,
      'Warning',
    ],
  ])('%s', (_name, options, over, ...[ttlMs, level]) => {
    const plan = planLease(observe(options, { instances: [aReady({ n: 1 })], ...over }), T0)
    expect(plan.status.expiresAt).toBe(at(T0 + ttlMs))
    expect(plan.notes.at(-1)!.level).toBe(level)
  })
})

describe('a half-done binding', () => {
  const intent = aBinding(aReady({ n: 1 }))
  const half = (found: LeaseObserved['bound'], over: Partial<LeaseObserved> = {}) =>
    observe({ binding: intent }, { bound: found, ...over })

  test('with the member still free is reserved as it was meant', () => {
    const observed = half({ state: 'found', instance: aReady({ n: 1 }) })
    expect(deeds(observed)).toEqual(['ReserveInstance 1', 'CreateConnectToken'])
    expect(next(observed).binding!.bindingId).toBe(intent.bindingId)
  })

  test('with the member reserved is finished', () => {
    const observed = half({ state: 'found', instance: aLeased({ n: 1 }) }, { connectTokenExists: true })
    expect(deeds(observed)).toEqual([])
    expect(next(observed)).toMatchObject({ phase: 'Bound', clusterName: 'pool-ci-small-1' })
  })

  test('a reserved member is kept even when the queue timeout has passed or the pool is going', () => {
    const going = {
      ...pool,
      spec: { ...pool.spec, queueTimeout: '1m' },
      metadata: { ...pool.metadata, deletionTimestamp: at(T0) },
    }
    const observed = half({ state: 'found', instance: aLeased({ n: 1 }) }, { pool: going })
    expect(next(observed, T0 + 5 * MINUTE).phase).toBe('Bound')
  })

  test.each<[string, LeaseObserved['bound']]>([
    ['was lost to another lease', { state: 'found', instance: aLeased({ n: 1, lease: 'lease-9' }) }],
    ['is being recycled', { state: 'found', instance: anInstance({ n: 1, phase: 'Recycling' }) }],
    ['is gone', { state: 'absent' }],
  ])('whose member %s takes the next candidate at once', (_name, found) => {
    const observed = half(found, { instances: [aReady({ n: 2 })] })
    const plan = planLease(observed, T0)
    expect(plan.actions.map(({ kind }) => kind)).toEqual(['RecordIntent', 'ReserveInstance', 'CreateConnectToken'])
    expect(plan.status.clusterName).toBe('pool-ci-small-2')
    expect(plan.notes[0]).toMatchObject({ reason: 'BindLost' })
    expect(next(half(found)).binding).toBeUndefined()
  })
})

describe('ends before it was bound', () => {
  test.each<[string, LeaseObserved, number, string, string]>([
    ['deleted', observe({ deleting: true, finalizers: [Finalizer.leaseCleanup] }), T0, 'Released', 'Cancelled'],
    [
      'the pool is going',
      observe({}, { pool: { ...pool, metadata: { ...pool.metadata, deletionTimestamp: at(T0) } } }),
      T0,
      'Released',
      'PoolDeleting',
    ],
    [
      'the backend cannot prove a cleanup',
      observe({ spec: { cleanupMode: 'VerifiedDestroy' } }, { instances: [aReady()] }),
      T0,
      'Released',
      'CleanupModeUnsupported',
    ],
    [
      'waited too long',
      observe({}, { pool: aPool({ scaling: scaling({ queueTimeout: '1m' }) }) }),
      T0 + MINUTE,
      'Expired',
      'QueueTimeout',
    ],
    ['the pool never came', observe({}, { pool: undefined }), T0 + 5 * MINUTE, 'Expired', 'QueueTimeout'],
  ])('%s', (_name, observed, now, ...[phase, reason]) => {
    expect(deeds(observed, now)).toEqual([])
    expect(next(observed, now)).toMatchObject({ phase, endedAt: at(now) })
    expect(boundCause(observed, now)).toMatchObject({ status: 'False', reason })
  })

  test('a verified cleanup needs the finalizer before the member is taken', () => {
    const spec = { cleanupMode: 'VerifiedDestroy' } as const
    const over = { supportsVerifiedDestroy: true, instances: [aReady()] }
    expect(deeds(observe({ spec }, over))).toEqual(['AddFinalizer'])
    expect(deeds(observe({ spec, finalizers: [Finalizer.leaseCleanup] }, over))[0]).toBe('RecordIntent')
  })
})

describe('waiting is explained (I7)', () => {
  const small = (spec = {}, status = {}) =>
    aPool(
      { scaling: scaling({ minReady: 1, maxClusters: 1 }), ...spec },
      { status: { currentSpecHash: HASH_A, ...status } as NonNullable<typeof pool.status> },
    )
  const blocked = anInstance({
    conditions: [
      { type: 'Provisioned', status: 'False', reason: 'Unschedulable', message: '', lastTransitionTime: at(T0) },
    ],
  })
  const stale = { instances: [aReady({ specHash: HASH_B })] }

  test.each<[string, LeaseOptions, Partial<LeaseObserved>, string]>([
    ['nothing there yet', {}, {}, 'Warming'],
    ['a member is on its way', {}, { instances: [anInstance()] }, 'Warming'],
    ['the ceiling is reached', {}, { pool: small(), instances: [aLeased({ lease: 'x' })] }, 'AllLeased'],
    ['the requester has its share', {}, { quota: { held: 3, cap: 3 }, instances: [aReady()] }, 'QuotaReached'],
    [
      'quarantined members hold the places',
      {},
      { pool: small(), instances: [anInstance({ phase: 'Quarantined' })] },
      'Quarantined',
    ],
    ['the host is full', {}, { instances: [blocked] }, 'HostFull'],
    ['only outdated members are free, and refused', { spec: { allowStale: false } }, stale, 'UpgradeFloor'],
    [
      'and the upgrade is paused',
      { spec: { allowStale: false } },
      { ...stale, pool: small({ upgradePolicy: { maxRecycling: 0, maxSurge: 1 } }) },
      'Paused',
    ],
    ['creation pauses', {}, { pool: small({}, { nextAttemptAt: at(T0 + MINUTE) }) }, 'Backoff'],
    ['no such pool yet', {}, { pool: undefined }, 'PoolNotFound'],
  ])('%s', (_name, options, over, reason) => {
    const observed = observe(options, over)
    expect(why(observed)).toBe(reason)
    expect(next(observed)).toMatchObject({ phase: 'Pending', queuePosition: 1 })
    expect(next(observed).message).toBeTruthy()
    const settled = { ...observed, lease: { ...observed.lease, status: next(observed) } }
    expect(silent({ ...settled, pending: [settled.lease] }, T0 + SECOND)).toBe(true)
  })
})

describe('bound', () => {
  test('is left alone, and looked at again when it expires', () => {
    expect(deeds(live())).toEqual([])
    expect(silent(live())).toBe(true)
    expect(planLease(live(), T0).requeueAfterMs).toBe(60 * MINUTE)
  })

  test('a lost connect token is made again', () => {
    expect(deeds(live({}, { connectTokenExists: false }))).toEqual(['CreateConnectToken'])
  })

  test.each<[string, LeaseObserved, number, string, string]>([
    ['its time is over', live(), T0 + 60 * MINUTE, 'Expired', 'Expired'],
    ['no heartbeat came', live({ spec: { idleTimeout: '5m' } }), T0 + 5 * MINUTE, 'Released', 'IdleTimeout'],
    [
      'none since the last',
      live({ spec: { idleTimeout: '5m' }, lastHeartbeat: at(T0 + MINUTE) }),
      T0 + 6 * MINUTE,
      'Released',
      'IdleTimeout',
    ],
    ['the instance is gone', live({}, { bound: { state: 'absent' } }), T0, 'Released', 'InstanceVanished'],
    [
      'the instance is being recycled',
      live(
        {},
        { bound: { state: 'found', instance: { ...instance, status: { ...instance.status!, phase: 'Recycling' } } } },
      ),
      T0,
      'Released',
      'InstanceVanished',
    ],
    [
      'the instance belongs to another',
      live({}, { bound: { state: 'found', instance: aLeased({ lease: 'lease-9' }) } }),
      T0,
      'Released',
      'InstanceVanished',
    ],
    ['it was deleted by hand', live({ deleting: true }), T0, 'Released', 'Released'],
    ['neither of its times can be read', live({ boundAt: 'x', expiresAt: 'y' }), T0, 'Expired', 'Expired'],
  ])('ends when %s', (_name, observed, now, ...[phase, reason]) => {
    expect(next(observed, now)).toMatchObject({ phase, endedAt: at(now), binding })
    expect(boundCause(observed, now)).toMatchObject({ status: 'False', reason })
  })

  test('a heartbeat keeps it', () => {
    expect(silent(live({ spec: { idleTimeout: '5m' }, lastHeartbeat: at(T0 + 4 * MINUTE) }), T0 + 6 * MINUTE)).toBe(
      true,
    )
  })

  test('a missing expiry is made good from the binding', () => {
    const { expiresAt: _none, ...status } = live().lease.status!
    const observed = live()
    expect(next({ ...observed, lease: { ...observed.lease, status } }).expiresAt).toBe(at(T0 + 60 * MINUTE))
  })

  test('an instance that looks free is an old view of it: nothing is ended for that', () => {
    const observed = live({}, { bound: { state: 'found', instance: aReady({ n: 1 }) } })
    expect(silent(observed)).toBe(true)
    expect(planLease(observed, T0).requeueAfterMs).toBe(SECOND)
  })
})

describe('ended', () => {
  const released = (over: Partial<LeaseObserved> = {}, options: LeaseOptions = {}) => {
    const observed = live({}, over)
    const status = { ...releasedStatus(observed.lease, T0), ...options }
    return { ...observed, lease: { ...observed.lease, status } }
  }
  const letGo = {
    bound: { state: 'found', instance: { ...instance, status: { ...instance.status!, phase: 'Recycling' as const } } },
  } as const

  test('a lease that was given back stays until its instance is let go, and its token goes with it', () => {
    expect(deeds(released())).toEqual([])
    expect(deeds(released(letGo))).toEqual(['DeleteLease'])
    expect(deeds(released({ bound: { state: 'absent' } }))).toEqual(['DeleteLease'])
  })

  test('where the lease stays for longer its token goes at once', () => {
    const expired = live()
    const status = next(expired, T0 + 60 * MINUTE)
    expect(deeds({ ...expired, lease: { ...expired.lease, status } }, T0 + 60 * MINUTE)).toEqual(['DeleteConnectToken'])
    const proven = released()
    const spec = { ...proven.lease.spec, cleanupMode: 'VerifiedDestroy' as const }
    expect(deeds({ ...proven, lease: { ...proven.lease, spec } })).toEqual(['DeleteConnectToken'])
  })

  test('what was never bound holds nothing and goes at once', () => {
    const lease = aLease()
    expect(deeds(observe({}, { lease: { ...lease, status: releasedStatus(lease, T0) } }))).toEqual(['DeleteLease'])
  })

  test('what the operator ended stays readable for five minutes', () => {
    const expired = { ...live({}, letGo), connectTokenExists: false }
    const lease = { ...expired.lease, status: next(live(), T0 + 60 * MINUTE) }
    expect(deeds({ ...expired, lease }, T0 + 61 * MINUTE)).toEqual([])
    expect(planLease({ ...expired, lease }, T0 + 61 * MINUTE).requeueAfterMs).toBe(4 * MINUTE)
    expect(deeds({ ...expired, lease }, T0 + 65 * MINUTE)).toEqual(['DeleteLease'])
  })

  test('a finalizer of ours comes off last, a receipt is kept until it was read', () => {
    const over = { ...letGo, connectTokenExists: false }
    const deleting = released(over)
    const metadata = { ...deleting.lease.metadata, deletionTimestamp: at(T0), finalizers: [Finalizer.leaseCleanup] }
    expect(deeds({ ...deleting, lease: { ...deleting.lease, metadata } })).toEqual(['RemoveFinalizer'])
    const receipt = released(over, { teardownReceipt: { outcome: 'verified' } as never })
    expect(deeds(receipt)).toEqual([])
    const annotations = { 'kobe.kunobi.ninja/teardown-receipt-acknowledged': 'yes' }
    expect(
      deeds({ ...receipt, lease: { ...receipt.lease, metadata: { ...receipt.lease.metadata, annotations } } }),
    ).toEqual(['DeleteLease'])
  })
})

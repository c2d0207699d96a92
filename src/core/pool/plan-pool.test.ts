import { describe, expect, test } from 'vitest'
import type { PoolSpec } from '../../api/v1alpha1/cluster-pool.ts'
import type { Condition } from '../../api/v1alpha1/conditions.ts'
import {
  aBinding,
  aLease,
  aLeased,
  anInstance,
  aPool,
  aReady,
  CAPABILITIES,
  HASH_A,
  HASH_B,
  MINUTE,
  observedPool,
  SECOND,
  scaling,
  T0,
} from '../testing/builders.ts'
import type { PoolObserved } from './observed.ts'
import { planPool } from './plan-pool.ts'

const at = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
const failedAt = (ms: number) => [{ uid: 'gone', name: 'pool-ci-small-9', reason: 'CreateFailed', at: at(ms) }]
const policy = (over: Partial<PoolSpec['upgradePolicy']> = {}): PoolSpec['upgradePolicy'] => ({
  maxRecycling: 1,
  maxSurge: 1,
  ...over,
})
const withPool = (spec: Partial<PoolSpec>, status: object = {}) =>
  aPool(spec, { status: { currentSpecHash: HASH_A, ...status } as NonNullable<ReturnType<typeof aPool>['status']> })

/** What a plan does, in short: `create 3`, `recycle 1 spec_drift`. */
function deeds(observed: Partial<PoolObserved>, now = T0): string[] {
  return planPool(observedPool(observed), now).actions.map((action) => {
    if (action.kind === 'CreateInstance') return `create ${action.index}`
    if (action.kind === 'RecycleInstance') return `recycle ${action.name.split('-').at(-1)} ${action.reason}`
    return action.kind
  })
}
const reasons = (observed: Partial<PoolObserved>, now = T0): string[] =>
  planPool(observedPool(observed), now).notes.map(({ reason }) => reason)
const messages = (observed: Partial<PoolObserved>, now = T0): string[] =>
  planPool(observedPool(observed), now).notes.map(({ message }) => message)
const statusOf = (observed: Partial<PoolObserved>, now = T0) => planPool(observedPool(observed), now).status
const condition = (observed: Partial<PoolObserved>, type: string): Condition | undefined =>
  statusOf(observed).conditions?.find((found) => found.type === type)

const old = (n: number, over = {}) => aReady({ n, specHash: HASH_B, ...over })
const fresh = (n: number, over = {}) => aReady({ n, ...over })

describe('a pool without our finalizer', () => {
  test('gets it first, and nothing is made before', () => {
    expect(deeds({ pool: aPool({}, { metadata: { name: 'ci-small', uid: 'pool-uid' } }) })).toEqual(['AddFinalizer'])
  })
})

describe('rule 0: own writes that were not seen', () => {
  test('hold creates, drift recycles and scale-down', () => {
    expect(deeds({ expectationsMet: false })).toEqual([])
    expect(
      deeds({
        expectationsMet: false,
        pool: aPool({ size: 2, upgradePolicy: policy({ minReadyDuringUpgrade: 0 }) }),
        instances: [old(1), fresh(2)],
      }),
    ).toEqual([])
    expect(deeds({ expectationsMet: false, pool: aPool({ size: 1 }), instances: [fresh(1), fresh(2)] })).toEqual([])
  })

  test('let repairs go on: unhealthy, drifted Creating, stuck Creating', () => {
    const instances = [
      anInstance({ n: 1, phase: 'Failed' }),
      anInstance({ n: 2, specHash: HASH_B, since: T0 }),
      anInstance({ n: 3, since: T0 - 11 * MINUTE }),
    ]
    const pool = withPool({}, { failures: failedAt(T0 - 60 * MINUTE) })
    // The two failures begin a backoff, in which the drifted one is left for later.
    expect(deeds({ expectationsMet: false, pool, instances })).toEqual([
      'recycle 1 unhealthy',
      'recycle 3 stuck_creating',
    ])
    expect(deeds({ expectationsMet: false, instances: [instances[1]!] })).toEqual(['recycle 2 spec_drift'])
  })
})

describe('rule 1: unhealthy members', () => {
  test('all go at once, whatever backoff, floor or pause say', () => {
    const pool = withPool(
      { size: 3, upgradePolicy: policy({ maxRecycling: 0 }) },
      { consecutiveFailures: 1, nextAttemptAt: at(T0 + MINUTE), failures: failedAt(T0) },
    )
    const instances = [1, 2, 3].map((n) => anInstance({ n, phase: 'Unhealthy' }))
    expect(deeds({ pool, instances })).toEqual(['recycle 1 unhealthy', 'recycle 2 unhealthy', 'recycle 3 unhealthy'])
  })

  test('quarantined members are left alone', () => {
    expect(deeds({ pool: aPool({ size: 0 }), instances: [anInstance({ phase: 'Quarantined' })] })).toEqual([])
  })
})

describe('rule 2: backoff', () => {
  const pool = withPool(
    { size: 3 },
    { consecutiveFailures: 1, nextAttemptAt: at(T0 + MINUTE), failures: failedAt(T0 - MINUTE) },
  )

  test('holds drift recycles, creates and scale-down, and says until when', () => {
    expect(deeds({ pool, instances: [old(1), old(2), anInstance({ n: 3, specHash: HASH_B, since: T0 })] })).toEqual([])
    expect(messages({ pool })[0]).toContain('before 2026-01-05T12:01:00Z')
    expect(planPool(observedPool({ pool }), T0).requeueAfterMs).toBe(MINUTE)
  })

  test('a stuck member still goes', () => {
    const stuck = anInstance({ since: T0 - 11 * MINUTE })
    expect(deeds({ pool, instances: [stuck] })).toEqual(['recycle 1 stuck_creating'])
  })

  test('is over when its time has come', () => {
    expect(deeds({ pool }, T0 + MINUTE)).toEqual(['create 1', 'create 2', 'create 3'])
  })

  test('demand does not shorten it, a changed template does', () => {
    expect(deeds({ pool, leases: [aLease()] })).toEqual([])
    const changed = { ...pool, status: { ...pool.status!, currentSpecHash: HASH_B } }
    expect(deeds({ pool: changed })).toEqual(['create 1', 'create 2', 'create 3'])
  })
})

describe('rule 3: drifted Creating', () => {
  test('go at once, all of them, also when paused, with the documented line', () => {
    const pool = aPool({ size: 2, upgradePolicy: policy({ maxRecycling: 0 }) })
    const instances = [1, 2].map((n) => anInstance({ n, specHash: HASH_B, since: T0 }))
    expect(deeds({ pool, instances })).toEqual(['recycle 1 spec_drift', 'recycle 2 spec_drift', 'create 3', 'create 4'])
    expect(messages({ pool, instances })[0]).toBe('Drifted Creating: recycling without waiting for timeout')
  })

  test('a template that cannot be told right now holds every decision about drift', () => {
    const specHash = {
      state: 'unreadable',
      reason: 'BootstrapUnreadable',
      message: 'BootstrapConfig x is missing',
    } as const
    const observed = {
      specHash,
      pool: aPool({ size: 3 }),
      instances: [anInstance({ n: 1, specHash: HASH_B, since: T0 }), old(2)],
    }
    expect(deeds(observed)).toEqual([])
    expect(condition(observed, 'Reconciling')).toMatchObject({ status: 'True', reason: 'BootstrapUnreadable' })
    expect(condition(observed, 'Stalled')).toBeUndefined()
  })

  test('a member stamped by another algorithm is stamped anew, never rolled', () => {
    expect(deeds({ instances: [old(1, { specHashVersion: 99 }), fresh(2)] })).toEqual(['StampInstance'])
  })

  test('a member that was never stamped is stamped, and nothing is made twice', () => {
    const { status: _none, ...unstamped } = anInstance({ n: 1 })
    expect(deeds({ pool: aPool({ size: 1 }), instances: [unstamped] }, T0 - 59 * MINUTE)).toEqual(['StampInstance'])
  })
})

describe('rule 4: drifted Ready', () => {
  const rolling = (spec: Partial<PoolSpec>, instances: PoolObserved['instances']) =>
    deeds({ pool: aPool(spec), instances })

  test.each<[string, Partial<PoolSpec>, PoolObserved['instances'], string[]]>([
    ['with the floor at the size it waits for the surge member', { size: 2 }, [old(1), old(2)], ['create 3']],
    [
      'and goes when that is Ready, its replacement in the same pass',
      { size: 2 },
      [old(1), old(2), fresh(3)],
      ['recycle 1 spec_drift', 'create 4'],
    ],
    [
      'a lower floor lets it go at once',
      { size: 4, upgradePolicy: policy({ minReadyDuringUpgrade: 3 }) },
      [1, 2, 3, 4].map((n) => old(n)),
      ['recycle 1 spec_drift', 'create 5', 'create 6'],
    ],
    [
      'at most maxRecycling go',
      { size: 4, upgradePolicy: policy({ maxRecycling: 2, minReadyDuringUpgrade: 0 }) },
      [1, 2, 3, 4].map((n) => old(n)),
      ['recycle 1 spec_drift', 'recycle 2 spec_drift', 'create 5', 'create 6', 'create 7'],
    ],
    [
      'floor 0 never takes the last Ready while a surge member can be placed',
      { size: 1, upgradePolicy: policy({ minReadyDuringUpgrade: 0 }) },
      [old(1)],
      ['create 2'],
    ],
    [
      'nor while one is on its way',
      { size: 1, upgradePolicy: policy({ minReadyDuringUpgrade: 0 }) },
      [old(1), anInstance({ n: 2, since: T0 })],
      [],
    ],
    [
      'floor 0 without surge goes at once',
      { size: 1, upgradePolicy: policy({ maxSurge: 0, minReadyDuringUpgrade: 0 }) },
      [old(1)],
      ['recycle 1 spec_drift', 'create 2'],
    ],
    [
      'floor 0 goes dark when no surge member can be placed',
      { scaling: scaling({ minReady: 1, maxClusters: 2 }), upgradePolicy: policy({ minReadyDuringUpgrade: 0 }) },
      [old(1), aLeased({ n: 2 })],
      ['recycle 1 spec_drift'],
    ],
    [
      'maxRecycling 0 pauses, and adds no surge',
      { size: 2, upgradePolicy: policy({ maxRecycling: 0 }) },
      [old(1), old(2)],
      [],
    ],
    [
      'a warm target of 0 rolls what is there, without surge',
      { scaling: scaling({ minReady: 0 }) },
      [old(1)],
      ['recycle 1 spec_drift'],
    ],
  ])('%s', (_name, spec, instances, expected) => {
    expect(rolling(spec, instances)).toEqual(expected)
  })

  test('the oldest goes first, the lower number of equals', () => {
    const instances = [old(7, { createdAt: T0 - 3 * MINUTE }), old(2, { createdAt: T0 - 9 * MINUTE }), fresh(3)]
    expect(rolling({ size: 2 }, instances)[0]).toBe('recycle 2 spec_drift')
  })

  test('members still Recycling for drift count against maxRecycling, until they hang', () => {
    const going = (since: number) =>
      anInstance({
        n: 9,
        phase: 'Recycling',
        since,
        stateSince: at(since),
        conditions: [
          { type: 'Ready', status: 'False', reason: 'DriftedReady', message: '', lastTransitionTime: at(since) },
        ],
      })
    const instances = (since: number) => [old(1), old(2), fresh(3), going(since)]
    expect(rolling({ size: 2 }, instances(T0 - MINUTE))).toEqual([])
    expect(rolling({ size: 2 }, instances(T0 - 11 * MINUTE))).toContain('recycle 1 spec_drift')
    expect(reasons({ instances: instances(T0 - 11 * MINUTE) })).toContain('RecyclingStuck')
    expect(reasons({ instances: instances(T0 - MINUTE) })).not.toContain('RecyclingStuck')
  })

  test('a Ready member that an ended lease names is no reserve: its reservation may not have been seen', () => {
    const pool = aPool({ size: 2, upgradePolicy: policy({ minReadyDuringUpgrade: 1 }) })
    const seenFree = fresh(2)
    const leases = [aLease({ phase: 'Released', binding: aBinding(seenFree) })]
    expect(deeds({ pool, instances: [old(1), seenFree], leases })).not.toContain('recycle 1 spec_drift')
    expect(deeds({ pool, instances: [old(1), seenFree], leases: [] })).toContain('recycle 1 spec_drift')
  })

  test('a member that a lease has just chosen is neither taken nor counted as free', () => {
    const chosen = fresh(3)
    const leases = [aLease({ binding: aBinding(chosen) })]
    expect(deeds({ pool: aPool({ size: 2 }), instances: [old(1), old(2), chosen], leases })).toEqual(['create 4'])
  })

  test('the documented lines are said, with numbers and about the member', () => {
    const held = planPool(observedPool({ pool: aPool({ size: 2 }), instances: [old(1), old(2)] }), T0).notes
    expect(held.find(({ reason }) => reason === 'HoldingForFloor')).toMatchObject({
      level: 'Info',
      message: 'Holding drift recycle: floor would be violated (ready 2, floor 2)',
      about: { kind: 'ClusterInstance', name: 'pool-ci-small-1' },
    })
    expect(messages({ pool: aPool({ size: 2 }), instances: [old(1), old(2), fresh(3)] })).toContain(
      'Drifted Ready: rolling recycle',
    )
    expect(
      reasons({ pool: aPool({ size: 2, upgradePolicy: policy({ maxRecycling: 0 }) }), instances: [old(1), old(2)] }),
    ).toContain('UpgradePaused')
  })
})

describe('rule 5: stuck Creating', () => {
  test('goes after creatingTimeout and not before', () => {
    const instances = [anInstance({ since: T0 - 10 * MINUTE })]
    expect(deeds({ pool: aPool({ size: 1 }), instances })).toEqual([])
    expect(deeds({ pool: aPool({ size: 1 }), instances }, T0 + SECOND)).toEqual(['recycle 1 stuck_creating'])
  })

  test('a bootstrap that still runs is named', () => {
    const instances = [anInstance({ since: T0 - 11 * MINUTE, activeBootstrap: 'seed-data' })]
    expect(planPool(observedPool({ instances }), T0).actions[0]).toMatchObject({ cause: 'BootstrapTimeout' })
    expect(messages({ instances }).join()).toContain('bootstrap seed-data still runs')
    expect(planPool(observedPool({ instances }), T0).notes.map(({ reason }) => reason)).toContain('BootstrapTimeout')
  })

  test('one that the host has no room for is held, and nothing more is created', () => {
    const blocked = anInstance({
      since: T0 - 60 * MINUTE,
      message: 'no host has room',
      conditions: [
        { type: 'Provisioned', status: 'False', reason: 'Unschedulable', message: '', lastTransitionTime: at(T0) },
      ],
    })
    const observed = { pool: aPool({ size: 3 }), instances: [blocked] }
    expect(deeds(observed)).toEqual([])
    expect(condition(observed, 'CapacityBlocked')).toMatchObject({ status: 'True', reason: 'CapacityBlocked' })
    expect(statusOf(observed).consecutiveFailures).toBe(0)
  })
})

describe('rule 6: scale up', () => {
  test.each<[string, Partial<PoolObserved>, string[]]>([
    [
      'a cold start is capped by what the backend recommends',
      { pool: aPool({ size: 5 }), capabilities: { ...CAPABILITIES, maxConcurrentCreates: 2 } },
      ['create 1', 'create 2'],
    ],
    [
      'by what the pool says',
      { pool: aPool({ size: 5, maxConcurrentCreates: 3 }) },
      ['create 1', 'create 2', 'create 3'],
    ],
    [
      'members that are being created count',
      { pool: aPool({ size: 5, maxConcurrentCreates: 2 }), instances: [anInstance({ since: T0 })] },
      ['create 2'],
    ],
    ['a leased member is replaced', { instances: [fresh(1), aLeased({ n: 2 })] }, ['create 3']],
    [
      'a waiting lease is one more',
      { pool: aPool({ size: 1 }), instances: [fresh(1)], leases: [aLease(), aLease({ name: 'l2' })] },
      ['create 2', 'create 3'],
    ],
    [
      'a lease that is bound, ended or going is none',
      {
        pool: aPool({ size: 1 }),
        instances: [fresh(1)],
        leases: [aLease({ phase: 'Bound' }), aLease({ phase: 'Released' }), aLease({ deleting: true })],
      },
      [],
    ],
    [
      'numbers are never used again',
      { pool: withPool({ size: 1 }, { highestIndex: 41 }), instances: [] },
      ['create 42'],
    ],
    [
      'the ceiling counts dying and quarantined members',
      {
        pool: aPool({ scaling: scaling({ minReady: 3, maxClusters: 3 }) }),
        instances: [anInstance({ n: 1, phase: 'Recycling' }), anInstance({ n: 2, phase: 'Quarantined' })],
      },
      ['create 3'],
    ],
    [
      'a fixed pool has ten places more than its size',
      {
        pool: aPool({ size: 1 }),
        instances: Array.from({ length: 10 }, (_unused, n) => aLeased({ n: n + 1 })),
        leases: [aLease(), aLease({ name: 'l2' })],
      },
      ['create 11'],
    ],
  ])('%s', (_name, observed, expected) => {
    expect(deeds(observed)).toEqual(expected)
  })

  test('demand that outran creation is made good, while few are Ready and the leases are recent', () => {
    const pool = aPool({ scaling: scaling({ minReady: 1 }) })
    const leased = (since: number) => [1, 2].map((n) => aLeased({ n, since }))
    expect(deeds({ pool, instances: leased(T0 - MINUTE) })).toEqual(['create 3', 'create 4', 'create 5'])
    expect(deeds({ pool, instances: leased(T0 - 6 * MINUTE) })).toEqual(['create 3'])
    expect(deeds({ pool, instances: [...leased(T0 - MINUTE), fresh(3)] })).toEqual([])
  })

  test('nothing is created for what the backend can never provide, and the pool is Stalled', () => {
    const observed = { pool: aPool({ readinessGates: [{ type: 'NodesReady', count: 1 }] }) }
    expect(deeds(observed)).toEqual([])
    expect(condition(observed, 'Stalled')).toMatchObject({ reason: 'Unsupported' })
    expect(condition(observed, 'Stalled')!.message).toContain('spec.readinessGates[0]')
    expect(condition(observed, 'Reconciling')).toBeUndefined()
  })
})

describe('rule 7: scale down', () => {
  const idle = (n: number, minutes: number) => aReady({ n, idleSince: at(T0 - minutes * MINUTE) })
  const pool = aPool({ scaling: scaling({ minReady: 1 }) })

  test('a scaling pool sheds the longest idle first, and only after scaleDownAfter', () => {
    expect(deeds({ pool, instances: [idle(1, 1), idle(2, 9), idle(3, 7)] })).toEqual([
      'recycle 2 scale_down',
      'recycle 3 scale_down',
    ])
    const plan = planPool(observedPool({ pool, instances: [idle(1, 1), idle(2, 2)] }), T0)
    expect(plan.actions).toEqual([])
    expect(plan.requeueAfterMs).toBe(3 * MINUTE)
  })

  test('a fixed pool sheds at once', () => {
    expect(deeds({ pool: aPool({ size: 1 }), instances: [idle(1, 1), idle(2, 9)] })).toEqual(['recycle 2 scale_down'])
    expect(statusOf({ pool: aPool({ size: 1 }), instances: [idle(1, 1), idle(2, 9)] }).phase).toBe('ScalingDown')
  })

  test('nothing goes while a Ready member is drifted, also when paused', () => {
    const paused = aPool({ size: 1, upgradePolicy: policy({ maxRecycling: 0 }) })
    expect(deeds({ pool: paused, instances: [old(1), fresh(2), fresh(3)] })).toEqual([])
  })

  test('surge surplus goes without the idle wait, in scaling pools too, and is no scaling down', () => {
    const upgrade = { startedAt: at(T0), newHash: HASH_A, remaining: 0 }
    const observed = {
      pool: withPool({ scaling: scaling({ minReady: 1 }) }, { upgrade }),
      instances: [idle(1, 1), idle(2, 2)],
    }
    expect(deeds(observed)).toEqual(['recycle 2 scale_down'])
    expect(statusOf(observed)).toMatchObject({ phase: 'Healthy', upgrade: { remaining: 0 } })
  })
})

describe('demand that outruns creation', () => {
  test('ends without an event, so the pool asks to be woken then: what is surplus from there on has to go', () => {
    const pool = aPool({ scaling: scaling({ minReady: 1, scaleUpThreshold: 2 }) })
    const instances = [aLeased({ n: 1, since: T0 - MINUTE }), fresh(2), fresh(3)]
    expect(planPool(observedPool({ pool, instances }), T0)).toMatchObject({
      actions: [],
      status: { warmTarget: 2 },
      requeueAfterMs: 4 * MINUTE,
    })
  })
})

describe('a pool that is being deleted', () => {
  const deleting = aPool({}, { metadata: { ...aPool().metadata, deletionTimestamp: at(T0) } })

  test('lets idle members go, keeps leased ones, creates nothing', () => {
    expect(deeds({ pool: deleting, instances: [fresh(1), aLeased({ n: 2 }), anInstance({ n: 3 })] })).toEqual([
      'recycle 1 pool_deleted',
      'recycle 3 pool_deleted',
    ])
    expect(deeds({ pool: deleting, instances: [aLeased({ n: 2 })], leases: [aLease()] })).toEqual([])
  })

  test('goes when no member is left', () => {
    expect(deeds({ pool: deleting })).toEqual(['RemoveFinalizer'])
  })
})

import { describe, expect, test } from 'vitest'
import { findCondition } from '../../api/v1alpha1/conditions.ts'
import {
  aLease,
  aLeased,
  anInstance,
  aPool,
  aReady,
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
const statusOf = (observed: Partial<PoolObserved>, now = T0) => planPool(observedPool(observed), now).status
type Status = ReturnType<typeof statusOf>

/** The pool with the status that a pass over it would write. */
function passedOver(observed: Partial<PoolObserved>, now = T0) {
  const full = observedPool(observed)
  return { ...full.pool, status: planPool(full, now).status }
}
const withStatus = (spec: Parameters<typeof aPool>[0], status: Partial<Status>) =>
  aPool(spec, { status: { ...statusOf({}), ...status } })
const recycling = (n: number, reason: string, since = T0) =>
  anInstance({
    n,
    phase: 'Recycling',
    since,
    conditions: [{ type: 'Ready', status: 'False', reason, message: '', lastTransitionTime: at(since) }],
  })

describe('the buckets', () => {
  test('each member is in exactly one, whatever is set on it (I3)', () => {
    const instances = [
      aReady({ n: 1 }),
      aReady({ n: 2, deleting: true }),
      aLeased({ n: 3 }),
      aLeased({ n: 4, deleting: true }),
      aLeased({ n: 5, phase: 'Ready' }),
      anInstance({ n: 6 }),
      anInstance({ n: 7, phase: 'Failed' }),
      anInstance({ n: 8, phase: 'Unhealthy' }),
      anInstance({ n: 9, phase: 'Recycling' }),
      anInstance({ n: 10, phase: 'Quarantined', deleting: true }),
    ]
    expect(statusOf({ instances })).toMatchObject({
      ready: 1,
      leased: 3,
      creating: 1,
      unhealthy: 2,
      recycling: 2,
      quarantined: 1,
    })
  })
})

describe('the phase', () => {
  const failing = { consecutiveFailures: 3, failures: [{ uid: 'x', name: 'x', reason: 'CreateFailed', at: at(T0) }] }
  test.each<[string, Partial<PoolObserved>, string]>([
    [
      'quarantined members come before everything',
      { instances: [anInstance({ phase: 'Quarantined' }), aReady({ n: 2 }), aReady({ n: 3 })] },
      'Quarantined',
    ],
    [
      'three failures in a row and nothing usable',
      { pool: withStatus({}, { ...failing, nextAttemptAt: at(T0 + MINUTE) }) },
      'Failing',
    ],
    [
      'with something usable it is only a backoff',
      { pool: withStatus({}, { ...failing, nextAttemptAt: at(T0 + MINUTE) }), instances: [aReady()] },
      'Backoff',
    ],
    ['scaled to zero', { pool: aPool({ scaling: scaling({ minReady: 0 }) }) }, 'Idle'],
    [
      'scaled to zero with somebody waiting',
      { pool: aPool({ scaling: scaling({ minReady: 0 }) }), leases: [aLease()] },
      'ScalingUp',
    ],
    [
      'surplus for lack of demand',
      { pool: aPool({ size: 1 }), instances: [aReady(), recycling(2, 'ScalingDown')] },
      'ScalingDown',
    ],
    [
      'a drift recycle is not scaling down',
      { pool: aPool({ size: 1 }), instances: [aReady(), recycling(2, 'DriftedReady')] },
      'Healthy',
    ],
    ['Ready and leased together reach the target', { instances: [aReady(), aLeased({ n: 2 })] }, 'Healthy'],
    [
      'or the ceiling',
      { pool: aPool({ scaling: scaling({ minReady: 5, maxClusters: 1 }) }), instances: [aReady()] },
      'Healthy',
    ],
    [
      'members that boot are no failure',
      { instances: [anInstance({ n: 1, since: T0 }), anInstance({ n: 2, since: T0 })] },
      'ScalingUp',
    ],
  ])('%s', (_name, observed, phase) => {
    expect(statusOf(observed).phase).toBe(phase)
  })

  test('during an upgrade the floor is enough', () => {
    const upgrade = { startedAt: at(T0), newHash: HASH_A, remaining: 1 }
    const spec = { size: 4, upgradePolicy: { maxRecycling: 1, maxSurge: 1, minReadyDuringUpgrade: 2 } }
    const instances = [aReady({ n: 1, specHash: HASH_B }), aReady({ n: 2 })]
    expect(statusOf({ pool: withStatus(spec, { upgrade }), instances }).phase).toBe('Healthy')
  })
})

describe('failures', () => {
  const failed = anInstance({ n: 1, phase: 'Failed', message: 'port taken' })

  test('are counted once per member, before it is recycled, and begin a backoff', () => {
    const first = passedOver({ instances: [failed] })
    expect(first.status).toMatchObject({
      consecutiveFailures: 1,
      nextAttemptAt: at(T0 + 5 * SECOND),
      lastFailureReason: 'pool-ci-small-1: port taken',
      failures: [{ uid: 'uid-1', reason: 'CreateFailed', specHash: HASH_A }],
    })
    const again = passedOver({ pool: first, instances: [failed] }, T0 + SECOND)
    expect(again.status).toMatchObject({ consecutiveFailures: 1, nextAttemptAt: at(T0 + 5 * SECOND) })
  })

  test('end their pause at a whole second, which every pass tells alike', () => {
    const first = planPool(observedPool({ instances: [failed] }), T0 + 300)
    const pool = aPool({}, { status: first.status })
    const later = planPool(observedPool({ pool, instances: [failed] }), T0 + 900)
    const told = (notes: typeof first.notes) => notes.find(({ reason }) => reason === 'Backoff')?.message
    expect(first.status.nextAttemptAt).toBe(at(T0 + 6 * SECOND))
    expect(told(later.notes)).toBe(told(first.notes))
  })

  test('grow the pause: 5 s, 10 s, 20 s', () => {
    let pool = aPool()
    const pauses = [1, 2, 3].map((n) => {
      const now = T0 + n * 10 * MINUTE
      const next = passedOver({ pool, instances: [anInstance({ n, phase: 'Failed' })] }, now)
      pool = next
      return Date.parse(next.status.nextAttemptAt!) - now
    })
    expect(pauses).toEqual([5_000, 10_000, 20_000])
  })

  test('are over when a member became Ready after the last one, and the fields are really cleared', () => {
    const pool = passedOver({ instances: [failed] })
    const ready = aReady({ n: 2, since: T0 + 30 * SECOND })
    const status = statusOf({ pool, instances: [ready] }, T0 + MINUTE)
    expect(status.consecutiveFailures).toBe(0)
    expect(status.failures).toEqual([])
    expect(Object.keys(status)).not.toContain('nextAttemptAt')
    expect(Object.keys(status)).not.toContain('lastFailureReason')
  })

  test('are not over because an older member still is Ready', () => {
    const pool = passedOver({ instances: [failed, aReady({ n: 2 })] })
    expect(statusOf({ pool, instances: [aReady({ n: 2 })] }, T0 + MINUTE).consecutiveFailures).toBe(1)
  })

  test('of a superseded template say nothing about the present one', () => {
    expect(statusOf({ instances: [anInstance({ phase: 'Failed', specHash: HASH_B })] }).consecutiveFailures).toBe(0)
  })

  test('a reset does not make a member count twice', () => {
    const pool = passedOver({ instances: [failed] })
    const instances = [failed, aReady({ n: 2, since: T0 + 30 * SECOND })]
    const reset = passedOver({ pool, instances }, T0 + MINUTE)
    expect(reset.status.consecutiveFailures).toBe(0)
    expect(statusOf({ pool: reset, instances }, T0 + 2 * MINUTE).consecutiveFailures).toBe(0)
  })
})

describe('an upgrade', () => {
  const old = (n: number) => aReady({ n, specHash: HASH_B })

  test('is recorded with its start, both hashes and what is left, leased members included', () => {
    const instances = [old(1), old(2), aLeased({ n: 3, specHash: HASH_B })]
    expect(statusOf({ instances })).toMatchObject({
      upgrade: { startedAt: at(T0), oldHash: HASH_B, newHash: HASH_A, remaining: 3 },
      drifted: 3,
      effectiveSurge: 1,
    })
  })

  test('shows the surge that fits under the ceiling', () => {
    const pool = aPool({
      scaling: scaling({ minReady: 2, maxClusters: 2 }),
      upgradePolicy: { maxRecycling: 1, maxSurge: 2 },
    })
    expect(statusOf({ pool, instances: [old(1), old(2)] }).effectiveSurge).toBe(0)
  })

  test('is over when nothing free is outdated and the pool is whole again; leased members do not hold it open', () => {
    const pool = passedOver({ instances: [old(1), old(2)] })
    const done = { pool, instances: [aReady({ n: 3 }), aReady({ n: 4 }), aLeased({ n: 5, specHash: HASH_B })] }
    const status = statusOf(done, T0 + MINUTE)
    expect(status.upgrade).toBeUndefined()
    expect(status.drifted).toBe(1)
    expect(findCondition(status.conditions, 'Upgrading')).toMatchObject({ status: 'False', reason: 'UpgradeComplete' })
  })

  test('is not over while a gate is closed, as nobody has looked for a surplus', () => {
    const pool = passedOver({ instances: [old(1), old(2)] })
    const instances = [aReady({ n: 3 }), aReady({ n: 4 }), aReady({ n: 5 })]
    expect(statusOf({ pool, instances, expectationsMet: false }, T0 + MINUTE).upgrade).toBeDefined()
  })

  test('keeps its start through a roll-back', () => {
    const pool = passedOver({ instances: [old(1), aReady({ n: 2 })] })
    const specHash = { state: 'known', hash: HASH_B, version: 1 } as const
    const back = statusOf({ pool, specHash, instances: [old(1), aReady({ n: 2 })] }, T0 + MINUTE)
    expect(back.upgrade).toMatchObject({ startedAt: at(T0), newHash: HASH_B, remaining: 1 })
  })
})

describe('conditions', () => {
  test('carry the generation they were computed from and move their time only when they flip', () => {
    const first = passedOver({ instances: [aReady({ n: 1 })] })
    const later = statusOf({ pool: first, instances: [aReady({ n: 1 })] }, T0 + MINUTE)
    expect(later.conditions).toEqual(first.status.conditions)
    expect(findCondition(later.conditions, 'Ready')).toMatchObject({
      status: 'False',
      observedGeneration: 1,
      lastTransitionTime: at(T0),
    })
    expect(later.observedGeneration).toBe(1)
  })

  test('Reconciling is there while members are missing and gone when the pool is whole', () => {
    expect(findCondition(statusOf({}).conditions, 'Reconciling')).toMatchObject({ reason: 'ScalingUp' })
    expect(
      findCondition(statusOf({ instances: [aReady({ n: 1 }), aReady({ n: 2 })] }).conditions, 'Reconciling'),
    ).toBeUndefined()
  })

  test.each<[string, Partial<PoolObserved>, string, string]>([
    ['a free member', { instances: [aReady()] }, 'True', 'Ready'],
    ['all leased', { instances: [aLeased()] }, 'False', 'AllLeased'],
    ['on the way', { instances: [anInstance({ since: T0 })] }, 'False', 'Warming'],
    ['scaled to zero', { pool: aPool({ scaling: scaling({ minReady: 0 }) }) }, 'False', 'Idle'],
  ])('Available: %s', (_name, observed, status, reason) => {
    expect(findCondition(statusOf(observed).conditions, 'Available')).toMatchObject({ status, reason })
  })

  test('quarantined members that hold places under the ceiling are named', () => {
    const pool = aPool({ scaling: scaling({ minReady: 1, maxClusters: 1 }) })
    const found = findCondition(
      statusOf({ pool, instances: [anInstance({ phase: 'Quarantined' })] }).conditions,
      'CapacityBlocked',
    )
    expect(found).toMatchObject({ status: 'True', reason: 'Quarantined' })
  })

  test('a backend that this operator does not have stalls the pool', () => {
    const capabilities = { gates: new Set<string>(), runsBootstrapJobs: false, maxConcurrentCreates: 0 }
    const plan = planPool(observedPool({ capabilities }), T0)
    expect(plan.actions).toEqual([])
    expect(findCondition(plan.status.conditions, 'Stalled')).toMatchObject({ reason: 'Unsupported' })
  })
})

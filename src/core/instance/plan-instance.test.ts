import { describe, expect, test } from 'vitest'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { findCondition } from '../../api/v1alpha1/conditions.ts'
import { Annotation, Finalizer } from '../../api/v1alpha1/labels.ts'
import { aLease, aLeased, anInstance, aPool, aReady, MINUTE, SECOND, T0 } from '../testing/builders.ts'
import { instanceStatusChanged } from './instance-status.ts'
import type { Evidence, InstanceObserved } from './observed.ts'
import { planInstance } from './plan-instance.ts'
import { foldProbe, nextProbeAt } from './probe-schedule.ts'
import { probePolicy } from './ready.ts'
import { recycleReasonOf } from './recycle-reason.ts'
import { requiredGates } from './required-gates.ts'

const at = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

const observe = (
  instance = anInstance(),
  evidence: Evidence = {},
  over: Partial<InstanceObserved> = {},
): InstanceObserved => ({
  instance,
  pool: { state: 'found', pool: aPool() },
  lease: { state: 'none' },
  evidence,
  watchingSince: T0,
  ...over,
})
const member = (state: NonNullable<Evidence['member']>['state'], at = T0) => ({
  state,
  message: state.toLowerCase(),
  at,
})
const deeds = (observed: InstanceObserved, now = T0) => planInstance(observed, now).actions.map(({ kind }) => kind)
const next = (observed: InstanceObserved, now = T0) => planInstance(observed, now).status
const silent = (observed: InstanceObserved, now = T0) => !instanceStatusChanged(observed.instance, next(observed, now))
const bound = (
  phase: 'Pending' | 'Bound' | 'Released' | 'Expired' = 'Bound',
  over: Parameters<typeof aLease>[0] = {},
) => {
  const instance = aLeased({ n: 1 })
  const lease = aLease({ phase, binding: instance.status!.binding!, ...over })
  return observe(instance, { member: member('Running') }, { lease: { state: 'found', lease } })
}

describe('Creating', () => {
  test('the finalizer comes before anything is made (I9)', () => {
    expect(deeds(observe(anInstance({ finalizers: [] })))).toEqual(['AddFinalizer'])
  })

  test('nothing is made before it is recorded what it is made with', () => {
    const { status, ...rest } = anInstance()
    const { createdWith: _none, ...unstamped } = status!
    expect(deeds(observe({ ...rest, status: unstamped }))).toEqual([])
  })

  test.each<[string, Evidence, number, string[]]>([
    ['the backend is asked', {}, T0, ['EnsureMember']],
    ['again when its answer is old', { member: member('Provisioning', T0 - 2 * SECOND) }, T0, ['EnsureMember']],
    ['but not before', { member: member('Provisioning', T0 - SECOND) }, T0, []],
    [
      'one without room on the host is asked for again too',
      { member: member('Unschedulable', T0 - 2 * SECOND) },
      T0,
      ['EnsureMember'],
    ],
    ['a running one gets its kubeconfig published', { member: member('Running') }, T0, ['PublishKubeconfig']],
    ['then it is Ready', { member: member('Running'), kubeconfigPublished: true }, T0, []],
  ])('%s', (_name, evidence, now, expected) => {
    expect(deeds(observe(anInstance({ since: T0 }), evidence), now)).toEqual(expected)
  })

  test('becomes Ready in one write', () => {
    const status = next(
      observe(anInstance({ since: T0 }), { member: member('Running'), kubeconfigPublished: true }),
      T0 + MINUTE,
    )
    const now = at(T0 + MINUTE)
    expect(status).toMatchObject({
      phase: 'Ready',
      provisioned: true,
      bootstrapped: true,
      idleSince: now,
      stateSince: now,
      readySince: now,
    })
    expect(findCondition(status.conditions, 'Ready')).toMatchObject({ status: 'True', reason: 'Ready' })
  })

  test('waits for the gates of the pool as it is now', () => {
    const pool = { state: 'found', pool: aPool({ readinessGates: [{ type: 'CRDExists', name: 'x' }] }) } as const
    const running = { member: member('Running'), kubeconfigPublished: true }
    expect(deeds(observe(anInstance(), running, { pool }))).toEqual(['CheckGates'])
    const waiting = observe(
      anInstance(),
      { ...running, gates: { passed: false, message: 'CRD x is missing', at: T0 } },
      { pool },
    )
    expect(next(waiting)).toMatchObject({ phase: 'Creating', provisioned: true, message: 'CRD x is missing' })
    expect(planInstance(waiting, T0).requeueAfterMs).toBe(2 * SECOND)
    const passed = observe(anInstance(), { ...running, gates: { passed: true, at: T0 } }, { pool })
    expect(next(passed).phase).toBe('Ready')
    const broken = observe(
      anInstance(),
      { ...running, gates: { passed: false, failed: true, message: 'job failed', at: T0 } },
      { pool },
    )
    expect(next(broken)).toMatchObject({ phase: 'Failed', message: 'job failed' })
  })

  test('a pool without gates has those of its backend; a list of its own replaces them', () => {
    const running = { member: member('Running'), kubeconfigPublished: true }
    const defaultGates = [{ type: 'NodesReady', count: 1 } as const]
    expect(deeds(observe(anInstance(), running, { defaultGates }))).toEqual(['CheckGates'])
    expect(deeds(observe(anInstance(), running, { defaultGates: [] }))).toEqual([])
    const own = [{ type: 'CRDExists', name: 'x' } as const]
    const pool = { state: 'found', pool: aPool({ readinessGates: own }) } as const
    expect(requiredGates(observe(anInstance(), running, { defaultGates, pool }))).toEqual(own)
  })

  test('what cannot come up is Failed', () => {
    expect(next(observe(anInstance(), { member: member('Failed') }))).toMatchObject({
      phase: 'Failed',
      stateSince: at(T0),
    })
  })

  test('time without a place on the host does not count against it', () => {
    const blocked = next(observe(anInstance({ since: T0 - MINUTE }), { member: member('Unschedulable') }))
    expect(findCondition(blocked.conditions, 'Provisioned')).toMatchObject({ status: 'False', reason: 'Unschedulable' })
    expect(blocked.stateSince).toBe(at(T0 - MINUTE))
    const instance = { ...anInstance(), status: blocked }
    expect(next(observe(instance, { member: member('Provisioning', T0 + MINUTE) }), T0 + MINUTE).stateSince).toBe(
      at(T0 + MINUTE),
    )
  })
})

describe('Ready', () => {
  const due = nextProbeAt('uid-1', 30 * SECOND, T0)

  test('is asked for once after a restart, and probed once per interval', () => {
    expect(deeds(observe(aReady()))).toEqual(['EnsureMember'])
    const evidence = { member: member('Running') }
    expect(planInstance(observe(aReady(), evidence), T0).requeueAfterMs).toBe(due - T0)
    expect(deeds(observe(aReady(), evidence), due - 1)).toEqual([])
    expect(deeds(observe(aReady(), evidence), due)).toEqual(['ProbeMember'])
    const probed = { ...evidence, probe: foldProbe(0, { healthy: true }, due) }
    expect(planInstance(observe(aReady(), probed), due).requeueAfterMs).toBe(30 * SECOND)
  })

  test('one whose process died is asked for until it runs again', () => {
    const down = { member: member('Provisioning', T0), probe: foldProbe(0, { healthy: true }, T0) }
    expect(planInstance(observe(aReady(), down), T0 + SECOND)).toMatchObject({ actions: [], requeueAfterMs: SECOND })
    expect(deeds(observe(aReady(), down), T0 + 2 * SECOND)).toEqual(['EnsureMember'])
    expect(deeds({ ...bound(), evidence: down }, T0 + 2 * SECOND)).toEqual(['EnsureMember'])
  })

  test('first probes of many members are spread over the interval', () => {
    const offsets = Array.from({ length: 300 }, (_unused, n) => nextProbeAt(`7f0c-${n}`, 30 * SECOND, T0) - T0)
    for (let third = 0; third < 3; third += 1) {
      const share = offsets.filter((offset) => Math.floor((offset - 1) / (10 * SECOND)) === third).length
      expect(share).toBeGreaterThan(50)
    }
  })

  test('a probe that changes nothing writes nothing (I12)', () => {
    expect(silent(observe(aReady(), { member: member('Running'), probe: foldProbe(0, { healthy: true }, T0) }))).toBe(
      true,
    )
  })

  test('failures are written, recovered from, and at the threshold it goes', () => {
    const failing = (failuresInARow: number, healthy = false) => ({
      member: member('Running'),
      probe: { healthy, failuresInARow, message: 'connection refused', at: T0 },
    })
    expect(next(observe(aReady(), failing(1)))).toMatchObject({ phase: 'Ready', healthFailures: 1 })
    expect(next(observe(aReady({ healthFailures: 2 }), failing(0, true)))).toMatchObject({
      phase: 'Ready',
      healthFailures: 0,
    })
    expect(silent(observe({ ...aReady(), status: next(observe(aReady(), failing(1))) }, failing(1)))).toBe(true)
    const gone = next(observe(aReady({ healthFailures: 2 }), failing(3)))
    expect(gone.phase).toBe('Recycling')
    expect(gone.idleSince).toBeUndefined()
    expect(recycleReasonOf(findCondition(gone.conditions, 'Ready')!.reason)).toBe('unhealthy')
  })

  test('failures in a row go on counting after a restart', () => {
    expect(foldProbe(2, { healthy: false }, T0).failuresInARow).toBe(3)
    expect(foldProbe(2, { healthy: true }, T0).failuresInARow).toBe(0)
  })

  test('the threshold and interval of the pool as it is now count', () => {
    const pool = { state: 'found', pool: aPool({ healthCheck: { intervalSeconds: 5, failureThreshold: 1 } }) } as const
    const probe = { healthy: false, failuresInARow: 1, at: T0 }
    expect(next(observe(aReady(), { probe }, { pool })).phase).toBe('Recycling')
  })

  test('a pool without health check has its members probed all the same: every 30 s, three failures', () => {
    const { healthCheck: _none, ...spec } = aPool().spec
    const pool = { state: 'found' as const, pool: { ...aPool(), spec } as ClusterPool }
    expect(probePolicy(observe(aReady(), {}, { pool }))).toEqual({ intervalMs: 30_000, failureThreshold: 3 })
  })

  test('one that the backend gave up goes at once', () => {
    expect(next(observe(aReady(), { member: member('Failed') })).phase).toBe('Recycling')
  })
})

describe('Leased', () => {
  test.each(['Pending', 'Bound'] as const)('is left alone while its lease is %s', (phase) => {
    expect(deeds(bound(phase))).toEqual([])
    expect(silent(bound(phase))).toBe(true)
  })

  test('is kept running after a restart', () => {
    expect(deeds({ ...bound(), evidence: {} })).toEqual(['EnsureMember'])
  })

  test.each<[string, InstanceObserved, string]>([
    ['its lease was released', bound('Released'), 'lease_released'],
    ['its lease expired', bound('Expired'), 'lease_expired'],
    ['its lease is being deleted', bound('Bound', { deleting: true }), 'lease_released'],
    ['its lease is gone', { ...bound(), lease: { state: 'absent' } }, 'lease_released'],
    [
      'its lease is bound to another',
      bound('Bound', { binding: { ...aLeased().status!.binding!, bindingId: 'another' } }),
      'lease_released',
    ],
    ['it names no lease', { ...bound(), lease: { state: 'none' } }, 'lease_released'],
  ])('is recycled, never Ready again, when %s (I2)', (_name, observed, reason) => {
    const status = next(observed)
    expect(status.phase).toBe('Recycling')
    expect(recycleReasonOf(findCondition(status.conditions, 'Ready')!.reason)).toBe(reason)
    expect(deeds(observed)).toEqual([])
  })

  test('is told of when it comes to be, and not anew by a restart later', () => {
    const observed = bound()
    const since = Date.parse(observed.instance.status!.stateSince!)
    const said = (now: number) => planInstance(observed, now).notes.map(({ reason, message }) => `${reason} ${message}`)
    expect(said(since + SECOND)).toEqual(['Leased leased by lease-1'])
    expect(said(since + MINUTE)).toEqual([])
  })

  test('a deletion waits for the lease to end (I6)', () => {
    const waiting = bound()
    const deleting = { ...waiting, instance: aLeased({ deleting: true }) }
    expect(silent(deleting)).toBe(true)
    expect(planInstance(deleting, T0).notes[0]).toMatchObject({ reason: 'WaitingForLease' })
  })

  test('a broken one stays until its lease ends', () => {
    const broken = { ...bound(), evidence: { member: member('Failed') } }
    expect(silent(broken)).toBe(true)
    expect(planInstance(broken, T0).notes[0]).toMatchObject({ reason: 'UnhealthyMember', level: 'Warning' })
  })
})

describe('Recycling', () => {
  const recycling = (over = {}) => anInstance({ phase: 'Recycling', ...over })
  const gone = { destroy: { gone: true, remaining: [], at: T0 } }

  test.each<[string, InstanceObserved, number, string[]]>([
    ['the backend is told to destroy', observe(recycling()), T0, ['DestroyMember']],
    [
      'and asked again',
      observe(recycling(), { destroy: { gone: false, remaining: ['process'], at: T0 } }),
      T0 + SECOND,
      ['DestroyMember'],
    ],
    [
      'but not in a busy loop',
      observe(recycling(), { destroy: { gone: false, remaining: ['process'], at: T0 } }),
      T0,
      [],
    ],
    [
      'a failure is tried again later',
      observe(recycling(), { destroy: { gone: false, remaining: [], error: 'x', at: T0 } }),
      T0 + SECOND,
      [],
    ],
    ['the object goes when nothing is left', observe(recycling(), gone), T0, ['DeleteInstance']],
    ['its finalizer last', observe(recycling({ deleting: true }), gone), T0, ['RemoveFinalizer']],
    ['a foreign finalizer is left alone', observe(recycling({ deleting: true, finalizers: ['other'] }), gone), T0, []],
  ])('%s', (_name, observed, now, expected) => {
    expect(deeds(observed, now)).toEqual(expected)
  })

  test('nothing is destroyed under a live lease, however the phase came to be (I6)', () => {
    const { instance, lease } = bound()
    const forced = { ...instance, status: { ...instance.status!, phase: 'Recycling' as const } }
    expect(deeds(observe(forced, {}, { lease }))).toEqual([])
  })
})

describe('other ends', () => {
  test('a free instance that is deleted goes to Recycling first, and is destroyed in the next pass', () => {
    const deleted = observe(aReady({ deleting: true }))
    expect(next(deleted).phase).toBe('Recycling')
    expect(deeds(deleted)).toEqual([])
  })

  test('a member whose pool is gone is recycled', () => {
    expect(next(observe(aReady(), {}, { pool: { state: 'absent' } })).phase).toBe('Recycling')
  })

  test('a quarantined one is left alone', () => {
    const observed = observe(anInstance({ phase: 'Quarantined', deleting: true }))
    expect(deeds(observed)).toEqual([])
    expect(silent(observed)).toBe(true)
  })

  test('and recycled when a person gave up on it, with the reason in the note', () => {
    const held = anInstance({ phase: 'Quarantined' })
    const annotations = { [Annotation.quarantineRelease]: 'volume checked by hand' }
    const released = observe({ ...held, metadata: { ...held.metadata, annotations } })
    expect(next(released).phase).toBe('Recycling')
    expect(planInstance(released, T0).notes[0]!.message).toContain('volume checked by hand')
    const empty = observe({
      ...held,
      metadata: { ...held.metadata, annotations: { [Annotation.quarantineRelease]: ' ' } },
    })
    expect(silent(empty)).toBe(true)
  })

  test('a failed member waits for its pool, a failed instance without a pool goes after five minutes', () => {
    const failed = anInstance({ phase: 'Failed', since: T0 })
    expect(silent(observe(failed), T0 + 60 * MINUTE)).toBe(true)
    const { poolRef: _none, ...spec } = failed.spec
    const alone = observe({ ...failed, spec }, {}, { pool: { state: 'none' } })
    expect(planInstance(alone, T0).requeueAfterMs).toBe(5 * MINUTE)
    expect(next(alone, T0 + 5 * MINUTE).phase).toBe('Recycling')
  })

  test('a status that was never written equals that of a new instance', () => {
    const { status: _none, ...fresh } = anInstance({ finalizers: [Finalizer.instanceCleanup] })
    expect(silent(observe(fresh))).toBe(true)
  })
})

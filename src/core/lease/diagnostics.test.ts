import { describe, expect, test } from 'vitest'
import { formatTimestamp as at } from '../../api/timestamp.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { findCondition } from '../../api/v1alpha1/conditions.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import type { InstanceObserved } from '../instance/observed.ts'
import { planInstance } from '../instance/plan-instance.ts'
import { aLease, aLeased, aPool, HASH_A, type LeaseOptions, SECOND, T0 } from '../testing/builders.ts'
import { DIAGNOSTICS_WAIT_MS, type DiagnosticsSeen, wantsDiagnostics } from './diagnostics.ts'
import type { LeaseObserved } from './observed.ts'
import { planLease } from './plan-lease.ts'

const pool = aPool({ diagnostics: { enabled: true, retentionDays: 7, logLines: 10, includeSecrets: false } })
const plain = aPool()
const instance = aLeased({ n: 1, finalizers: [Finalizer.instanceCleanup] })
const binding = instance.status!.binding!

function ended(options: LeaseOptions = {}, spec: Partial<ClusterLease['spec']> = {}): ClusterLease {
  const lease = aLease({
    phase: 'Released',
    clusterName: 'pool-ci-small-1',
    binding,
    endedAt: at(T0),
    ...options,
  })
  return { ...lease, spec: { ...lease.spec, ...spec } }
}

const observe = (lease: ClusterLease, over: Partial<LeaseObserved> = {}): LeaseObserved => ({
  lease,
  pool,
  pending: [],
  instances: [],
  bound: { state: 'found', instance },
  probes: new Map(),
  lastServed: new Map(),
  supportsVerifiedDestroy: false,
  connectTokenExists: false,
  bindingId: 'unused',
  ...over,
})
const plan = (lease: ClusterLease, diagnostics?: DiagnosticsSeen, now = T0) =>
  planLease(observe(lease, diagnostics === undefined ? {} : { diagnostics }), now)
const deeds = (lease: ClusterLease, diagnostics?: DiagnosticsSeen, now = T0) =>
  plan(lease, diagnostics, now).actions.map(({ kind }) => kind)
const captured = (lease: ClusterLease, diagnostics: DiagnosticsSeen) =>
  findCondition(plan(lease, diagnostics).status.conditions, 'DiagnosticsCaptured')

const memberPhase = (lease: ClusterLease, now: number, of = pool): string | undefined => {
  const observed: InstanceObserved = {
    instance,
    lease: { state: 'found', lease },
    pool: { state: 'found', pool: of },
    evidence: { member: { state: 'Running', message: '', at: T0 }, kubeconfigPublished: true },
    watchingSince: T0,
  }
  return planInstance(observed, now).status.phase
}

describe('diagnostics', () => {
  test.each([
    [undefined, plain, false],
    [undefined, pool, true],
    [true, plain, true],
    [false, pool, false],
    [true, undefined, true],
  ])('a lease that says %s wants what it says, else what its pool says', (diagnostics, of, wanted) => {
    expect(wantsDiagnostics(ended({}, diagnostics === undefined ? {} : { diagnostics }), of)).toBe(wanted)
  })

  test('are made once the lease has ended, after the token is gone and while the member is as it was left', () => {
    expect(deeds(ended())).toEqual(['CaptureDiagnostics'])
    const order = planLease(observe(ended(), { connectTokenExists: true }), T0).actions.map(({ kind }) => kind)
    expect(order).toEqual(['DeleteConnectToken', 'CaptureDiagnostics'])
    expect(deeds(ended(), { state: 'running' })).toEqual([])
    expect(deeds(ended({}, { diagnostics: false }))).toEqual([])
  })

  test('that are stored, or cannot be, stand in a condition, and are not made again', () => {
    const stored = plan(ended(), { state: 'stored', complete: true })
    expect(stored.status.diagnosticsUrl).toBe('/v1/leases/lease-1/diagnostics/bundle')
    expect(captured(ended(), { state: 'stored', complete: false })).toMatchObject({
      status: 'True',
      message: expect.stringContaining('cut something off'),
    })
    expect(captured(ended(), { state: 'failed', message: 'no directory' })).toMatchObject({
      status: 'False',
      reason: 'DiagnosticsFailed',
      message: 'no directory',
    })
    expect(deeds(ended({ conditions: stored.status.conditions! }), { state: 'stored', complete: true })).toEqual([])
  })

  test('hold the member back until they are made, and never for longer than a minute', () => {
    const late = T0 + DIAGNOSTICS_WAIT_MS
    expect(memberPhase(ended(), T0)).toBe('Leased')
    expect(memberPhase(ended(), late - SECOND)).toBe('Leased')
    expect(memberPhase(ended(), late)).toBe('Recycling')
    expect(memberPhase(ended(), T0, plain)).toBe('Recycling')
    const { conditions } = plan(ended(), { state: 'failed', message: 'no directory' }).status
    expect(memberPhase(ended({ conditions: conditions! }), T0)).toBe('Recycling')
    expect(deeds(ended(), { state: 'none' }, late)).toEqual([])
  })

  test('hold the member of a lease that is being deleted too, from that moment on', () => {
    const bound = ended({ phase: 'Bound', boundAt: at(T0), expiresAt: at(T0 + 3_600_000) })
    const deleted = { ...bound, metadata: { ...bound.metadata, deletionTimestamp: at(T0) } }
    expect(memberPhase(deleted, T0)).toBe('Leased')
    expect(memberPhase(deleted, T0 + DIAGNOSTICS_WAIT_MS)).toBe('Recycling')
  })
})

describe('a lease that must not vanish before its end was seen to', () => {
  const bound = (over: Partial<ClusterLease['metadata']> = {}, spec: Partial<ClusterLease['spec']> = {}) => {
    const lease = ended({ phase: 'Bound', boundAt: at(T0), expiresAt: at(T0 + 3_600_000) }, spec)
    return { ...lease, metadata: { ...lease.metadata, ...over } }
  }
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'run', uid: 'owner-uid' }]
  const finalizers = [Finalizer.leaseCleanup]
  const first = (lease: ClusterLease, over: Partial<LeaseObserved> = {}) =>
    planLease(observe(lease, { pool: { ...plain, status: { currentSpecHash: HASH_A } as never }, ...over }), T0)

  test('is marked before it is bound, and later when an owner is named later', () => {
    const pending = aLease({})
    const owned = { ...pending, metadata: { ...pending.metadata, ownerReferences } }
    expect(first(owned, { bound: { state: 'none' } }).actions).toEqual([{ kind: 'AddFinalizer' }])
    expect(first(bound({ ownerReferences })).actions).toEqual([{ kind: 'AddFinalizer' }])
    expect(first(bound({}, { diagnostics: true })).actions).toEqual([{ kind: 'AddFinalizer' }])
    expect(first(bound({ ownerReferences, finalizers })).actions).toEqual([{ kind: 'CreateConnectToken' }])
  })

  test('is released when its owner goes, which only marks it for deletion', () => {
    const going = bound({ ownerReferences, finalizers, deletionTimestamp: at(T0) })
    const { status, actions } = first(going)
    expect(actions).toEqual([])
    expect(status).toMatchObject({ phase: 'Released' })
    const released = { ...going, status: { ...going.status!, ...status } }
    const next = first(released, { connectTokenExists: true })
    expect(next.actions).toEqual([{ kind: 'DeleteConnectToken' }])
    const gone = first(released, { bound: { state: 'absent' } })
    expect(gone.actions).toEqual([{ kind: 'RemoveFinalizer' }])
  })
})

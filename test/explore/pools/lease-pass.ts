/** A pass of the lease controller: the actions in order, then the status; the first write that is lost ends it. */
import type { ClusterLease } from '../../../src/api/v1alpha1/cluster-lease.ts'
import { Finalizer } from '../../../src/api/v1alpha1/labels.ts'
import { leasedStatus } from '../../../src/core/instance/instance-status.ts'
import type { LeaseAction } from '../../../src/core/lease/action.ts'
import { instanceCarries, isFree } from '../../../src/core/lease/candidates.ts'
import { leaseStatusChanged, leaseStatusOf } from '../../../src/core/lease/lease-status.ts'
import type { BoundInstance, LeaseObserved } from '../../../src/core/lease/observed.ts'
import { planLease } from '../../../src/core/lease/plan-lease.ts'
import { assertNever } from '../../../src/core/plan.ts'
import { probeCluster } from './clusters.ts'
import { encodeLeaseStatus } from './encode-status.ts'
import type { Op, Pass } from './pass.ts'
import { named, remember, viewed, type World } from './world.ts'
import { deleteLease, readInstance, updateInstance, updateLease } from './writes.ts'

export function leasePass(start: World, name: string): Pass | undefined {
  const lease = named(viewed(start).leases, name)
  if (lease === undefined || start.memory.gone.includes(lease.metadata.uid ?? '')) return undefined
  const { world: looked, bound } = boundOf(start, lease)
  const world = { ...looked, serial: looked.serial + 1 }
  const { pool, instances, leases } = viewed(world)
  const observed: LeaseObserved = {
    lease,
    pool,
    instances,
    bound,
    pending: leases.filter(({ status }) => (status?.phase ?? 'Pending') === 'Pending'),
    probes: world.memory.probes,
    lastServed: new Map(),
    supportsVerifiedDestroy: false,
    connectTokenExists: world.tokens.includes(lease.metadata.uid ?? ''),
    bindingId: `b${world.serial}`,
  }
  const plan = planLease(observed, world.now)
  const ends = plan.actions.some(({ kind }) => kind === 'DeleteLease' || kind === 'RemoveFinalizer')
  const changed = !ends && leaseStatusChanged(lease, plan.status)
  return {
    controller: 'lease',
    name,
    ops: [
      ...plan.actions.map((action) => actionOp(observed, action, world.now)),
      ...(changed ? [statusOp(lease, plan.status, world.now)] : []),
    ],
    next: 0,
    version: lease.metadata.resourceVersion ?? '',
    observedIn: world,
    requeueAfterMs: plan.requeueAfterMs,
  }
}

function boundOf(world: World, lease: ClusterLease): { world: World; bound: BoundInstance } {
  const ref = lease.status?.binding?.instance
  if (ref === undefined) return { world, bound: { state: 'none' } }
  const known = named(viewed(world).instances, ref.name)
  if (known?.metadata.uid === ref.uid && (instanceCarries(lease, known) || isFree(known))) {
    return { world, bound: { state: 'found', instance: known } }
  }
  const { world: next, instance } = readInstance(world, ref.name)
  const isIt = instance?.metadata.uid === ref.uid && instance !== undefined
  return { world: next, bound: isIt ? { state: 'found', instance } : { state: 'absent' } }
}

function statusOp(lease: ClusterLease, status: NonNullable<ClusterLease['status']>, now: number): Op {
  const { name = '', uid } = lease.metadata
  return {
    label: `status ${status.phase}`,
    writes: true,
    key: `S${encodeLeaseStatus(status, now)}`,
    run(world, writer, version) {
      const fence = { uid, resourceVersion: version }
      const written = updateLease(world, writer, { name, fence }, (current) => ({ ...current, status }))
      return { world: written.world, go: written.landed }
    },
  }
}

function actionOp(observed: LeaseObserved, action: LeaseAction, now: number): Op {
  const { lease } = observed
  const { name = '', uid = '' } = lease.metadata
  const base = { label: action.kind, key: action.kind, writes: true }
  const finalizers = (list: string[]): Op => ({
    ...base,
    run(world, writer, version) {
      const target = { name, fence: { uid, resourceVersion: version } }
      const { world: next, landed } = updateLease(world, writer, target, (current) => ({
        ...current,
        metadata: { ...current.metadata, finalizers: list },
      }))
      return { world: next, go: landed }
    },
  })
  switch (action.kind) {
    case 'AddFinalizer':
      return finalizers([Finalizer.leaseCleanup])
    case 'RemoveFinalizer':
      return finalizers([])
    case 'ProbeCandidate':
      return {
        ...base,
        writes: false,
        run(world) {
          const { healthy } = probeCluster(world, action.uid)
          const probes = new Map(world.memory.probes).set(action.uid, { healthy, at: world.now })
          return { world: remember(world, { probes }), go: true }
        },
      }
    case 'RecordIntent':
      return {
        ...base,
        label: `intent for ${action.binding.instance.name}`,
        fence: { kind: 'leases', name, uid, resourceVersion: lease.metadata.resourceVersion },
        run(world, writer, version) {
          const target = { name, fence: { uid, resourceVersion: version } }
          const { world: next, landed } = updateLease(world, writer, target, (current) => ({
            ...current,
            status: { ...leaseStatusOf(lease), binding: action.binding },
          }))
          const after = named(next.leases, name)?.metadata.resourceVersion
          return { world: next, go: landed, ...(after === undefined ? {} : { version: after }) }
        },
      }
    case 'ReserveInstance':
      return reserveOp(observed, action, now)
    case 'CaptureDiagnostics':
      return { ...base, writes: false, run: (world) => ({ world, go: true }) }
    case 'CreateConnectToken':
      return {
        ...base,
        run: (world) => ({ world: { ...world, tokens: [...world.tokens.filter((t) => t !== uid), uid] }, go: true }),
      }
    case 'DeleteConnectToken':
      return {
        ...base,
        run: (world) => ({ world: { ...world, tokens: world.tokens.filter((t) => t !== uid) }, go: true }),
      }
    case 'DeleteLease':
      return {
        ...base,
        fence: { kind: 'leases', name, uid, resourceVersion: action.resourceVersion },
        run(world, writer) {
          const target = { name, fence: { uid, resourceVersion: action.resourceVersion } }
          const { world: next, landed } = deleteLease(world, writer, target)
          const mine = landed && writer === 'mine' && (lease.metadata.finalizers ?? []).length === 0
          return { world: mine ? remember(next, { gone: [...next.memory.gone, uid] }) : next, go: landed }
        },
      }
    default:
      return assertNever(action)
  }
}

function reserveOp(
  observed: LeaseObserved,
  action: Extract<LeaseAction, { kind: 'ReserveInstance' }>,
  now: number,
): Op {
  const { name, uid, resourceVersion, binding } = action
  const known = [...observed.instances, ...(observed.bound.state === 'found' ? [observed.bound.instance] : [])]
  const instance = known.find(({ metadata }) => metadata.uid === uid && metadata.resourceVersion === resourceVersion)
  return {
    label: `reserve ${name}`,
    key: 'V',
    writes: true,
    fence: { kind: 'instances', name, uid, resourceVersion },
    run(world, writer) {
      if (instance === undefined) throw new TypeError(`the plan reserves ${name}, which was not observed`)
      const status = leasedStatus(instance, binding, now)
      const target = { name, fence: { uid, resourceVersion } }
      const { world: next, landed } = updateInstance(world, writer, target, (current) => ({ ...current, status }))
      return landed ? { world: next, go: true } : { world: readInstance(next, name).world, go: false }
    },
  }
}

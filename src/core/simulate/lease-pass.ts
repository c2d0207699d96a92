/** One pass over a lease: what the lease controller does, on the store of the simulated world. */

import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import { leasedStatus } from '../instance/instance-status.ts'
import type { LeaseAction } from '../lease/action.ts'
import { instanceCarries, isFree } from '../lease/candidates.ts'
import { leaseStatusChanged } from '../lease/lease-status.ts'
import type { BoundInstance } from '../lease/observed.ts'
import { planLease } from '../lease/plan-lease.ts'
import { requesterKey } from '../lease/queue.ts'
import { assertNever, type Plan } from '../plan.ts'
import { cached, type World } from './world.ts'

/** Answers when to look again. */
export function leasePass(world: World, name: string): number | undefined {
  const { pools, instances, leases } = cached(world)
  const lease = leases.get(name)
  if (lease === undefined) return undefined
  const plan = planLease(
    {
      lease,
      pool: pools.get(lease.spec.poolRef),
      pending: [...leases.values()].filter((other) => (other.status?.phase ?? 'Pending') === 'Pending'),
      instances: [...instances.values()],
      bound: boundOf(world, lease),
      probes: world.probes,
      lastServed: world.lastServed,
      supportsVerifiedDestroy: false,
      connectTokenExists: world.tokens.has(name),
      diagnostics: { state: 'stored', complete: true },
      bindingId: `binding-${world.serial()}`,
    },
    world.now,
  )
  world.notes.push(...plan.notes)
  for (const action of plan.actions) if (!execute(world, lease, action)) return world.now
  if (!writeStatus(world, lease, plan)) return world.now
  return plan.requeueAfterMs === undefined ? undefined : world.now + plan.requeueAfterMs
}

/** False when another writer won. */
function writeStatus(world: World, lease: ClusterLease, { actions, status }: Plan<LeaseAction, LeaseStatus>): boolean {
  if (!leaseStatusChanged(lease, status)) return true
  const { name = '', uid = '' } = lease.metadata
  // Our own intent moved the version; anything else that did is somebody else's write.
  const wrote = actions.some(({ kind }) => kind === 'RecordIntent' || kind === 'AddFinalizer')
  const { resourceVersion = '' } = (wrote ? world.leases.get(name) : lease)?.metadata ?? {}
  const written = world.leases.update(name, { uid, resourceVersion }, (current) => ({ ...current, status }))
  const bound = status.phase === 'Bound' && lease.status?.phase !== 'Bound'
  if (written && bound) world.lastServed.set(requesterKey(lease), world.now)
  return written
}

function boundOf(world: World, lease: ClusterLease): BoundInstance {
  const { status } = lease
  if (status?.binding === undefined) return { state: 'none' }
  const seen = cached(world).instances.get(status.binding.instance.name)
  if (seen?.metadata.uid === status.binding.instance.uid && (instanceCarries(lease, seen) || isFree(seen))) {
    return { state: 'found', instance: seen }
  }
  const instance = world.instances.get(status.binding.instance.name)
  if (instance?.metadata.uid !== status.binding.instance.uid) return { state: 'absent' }
  return { state: 'found', instance }
}

/** False when another writer won. */
function execute(world: World, lease: ClusterLease, action: LeaseAction): boolean {
  world.acts += 1
  const { name = '', uid = '', resourceVersion = '' } = lease.metadata
  switch (action.kind) {
    case 'AddFinalizer':
      return setFinalizers(world, lease, [Finalizer.leaseCleanup])
    case 'RemoveFinalizer':
      return withoutToken(world, name, setFinalizers(world, lease, []))
    case 'ProbeCandidate':
      world.probes.set(action.uid, { ...world.clusters.probe(action.uid, world.now), at: world.now })
      return true
    case 'RecordIntent':
      return world.leases.update(name, { uid, resourceVersion }, (current) => ({
        ...current,
        status: { ...current.status, binding: action.binding } as NonNullable<ClusterLease['status']>,
      }))
    case 'ReserveInstance':
      return world.instances.update(action.name, action, (instance) => ({
        ...instance,
        status: leasedStatus(instance, action.binding, world.now),
      }))
    // What the observation says of them has it that they are stored already.
    case 'CaptureDiagnostics':
      return true
    case 'CreateConnectToken':
      world.tokens.add(name)
      return true
    case 'DeleteConnectToken':
      world.tokens.delete(name)
      return true
    case 'DeleteLease':
      return withoutToken(world, name, world.leases.remove(name, action))
    default:
      return assertNever(action)
  }
}

/** The Secret with the token is owned by the lease: it goes when that has gone. */
function withoutToken(world: World, name: string, landed: boolean): boolean {
  if (world.leases.get(name) === undefined) world.tokens.delete(name)
  return landed
}

function setFinalizers(world: World, { metadata }: ClusterLease, finalizers: string[]): boolean {
  return world.leases.update(metadata.name ?? '', { uid: metadata.uid ?? '' }, (current) => ({
    ...current,
    metadata: { ...current.metadata, finalizers },
  }))
}

/**
 * Carries out a lease plan: actions in order, then the status. The first write that is lost to another writer ends the pass
 * without a status; what is half done is finished or given up by the next pass, from what is observed then.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { Finalizer } from '../../api/v1alpha1/labels.ts'
import { CLUSTER_INSTANCES, CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import { leasedStatus } from '../../core/instance/instance-status.ts'
import type { LeaseAction } from '../../core/lease/action.ts'
import { leaseStatusChanged, leaseStatusOf } from '../../core/lease/lease-status.ts'
import type { LeaseObserved } from '../../core/lease/observed.ts'
import { assertNever, type Plan } from '../../core/plan.ts'
import { isKubeError } from '../../kube/errors.ts'
import { fencedStatusPatch } from '../../kube/fenced-patch.ts'
import { addFinalizer, removeFinalizer } from '../../kube/finalizers.ts'
import { refOf } from '../../kube/request-path.ts'
import type { ControllerDeps } from '../deps.ts'
import { memberOf } from '../instance/member-target.ts'
import { type WriteResult, writeStatus } from '../write-status.ts'
import { waitsAsBefore } from './changes.ts'
import { createConnectToken, deleteConnectToken } from './connect-token.ts'
import type { Captures } from './diagnostics/captures.ts'
import type { Holders } from './holders.ts'
import { policyOf } from './policy.ts'
import type { PoolQueues } from './pool-queues.ts'
import type { WaitingNews } from './waiting-news.ts'

export interface LeasePass {
  readonly deps: ControllerDeps
  readonly holders: Holders
  readonly queues: PoolQueues
  /** Absent: none are made. */
  readonly captures?: Captures
  /** Absent: nothing is held back. */
  readonly news?: WaitingNews
  readonly observed: LeaseObserved
  readonly now: number
  /** The lease as this pass last wrote it; each write is fenced with it. At first the observed one. */
  lease: ClusterLease
}

/** `lost`: another writer was faster. `again`: there is something new to plan from. */
export type LeasePassResult = 'gone' | 'lost' | 'again' | 'done'

export async function executeLease(pass: LeasePass, plan: Plan<LeaseAction, LeaseStatus>): Promise<LeasePassResult> {
  for (const action of plan.actions) {
    const landed = await act(pass, action)
    if (!landed) return 'lost'
  }
  if (plan.actions.some(({ kind }) => kind === 'DeleteLease' || kind === 'RemoveFinalizer')) return 'gone'
  const write = await writeLeaseStatus(pass, plan.status)
  if (write === 'gone') return 'gone'
  return write === 'written' || plan.actions.length > 0 ? 'again' : 'done'
}

async function writeLeaseStatus(pass: LeasePass, status: LeaseStatus): Promise<WriteResult> {
  const { deps, lease } = pass
  if (!leaseStatusChanged(lease, status)) return 'unchanged'
  if ((pass.news?.holdMs(lease, status) ?? 0) > 0) return 'unchanged'
  const target = { client: deps.client, type: CLUSTER_LEASES, record: (written: ClusterLease) => wrote(pass, written) }
  return await writeStatus(target, lease, status)
}

function wrote(pass: LeasePass, lease: ClusterLease): void {
  const before = pass.lease
  pass.lease = lease
  pass.deps.own.leases.record(lease)
  if (waitsAsBefore(lease, before)) {
    pass.news?.told(lease)
    return
  }
  pass.holders.note(lease)
  if (lease.status?.binding === undefined) pass.queues.outdated(lease.spec.poolRef)
  else pass.queues.shrunk(lease.spec.poolRef)
}

/** False: the write was lost to another writer. */
async function act(pass: LeasePass, action: LeaseAction): Promise<boolean> {
  const { deps, observed } = pass
  switch (action.kind) {
    case 'AddFinalizer':
      wrote(pass, await addFinalizer(deps.client, CLUSTER_LEASES, pass.lease, Finalizer.leaseCleanup))
      return true
    case 'RemoveFinalizer':
      await removeFinalizer(deps.client, CLUSTER_LEASES, observed.lease, Finalizer.leaseCleanup)
      return true
    case 'ProbeCandidate':
      return probe(pass, action)
    case 'RecordIntent':
      return recordWithinQuota(pass, action)
    case 'ReserveInstance':
      return landed(() => reserveInstance(pass, action))
    case 'CreateConnectToken':
      await createConnectToken(deps, observed.lease)
      return true
    case 'CaptureDiagnostics':
      if (observed.bound.state === 'found') pass.captures?.start(observed.lease, observed.bound.instance)
      return true
    case 'DeleteConnectToken':
      await deleteConnectToken(deps, observed.lease)
      return true
    case 'DeleteLease':
      return deleteLease(pass, action)
    default:
      return assertNever(action)
  }
}

async function landed(write: () => Promise<void>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (isKubeError(error, 'Conflict', 'NotFound')) return false
    throw error
  }
}

type Action<K extends LeaseAction['kind']> = Extract<LeaseAction, { kind: K }>

async function probe({ deps, queues, observed }: LeasePass, { uid }: Action<'ProbeCandidate'>): Promise<boolean> {
  const instance = chosenMember(observed, ({ metadata }) => metadata.uid === uid)
  const member = instance === undefined ? undefined : memberOf(deps, instance)
  const result =
    member?.backend === undefined
      ? { healthy: false, message: 'its backend is not known here' }
      : await member.backend.probe(member.target)
  const before = deps.probes.get(uid)
  deps.probes.set(uid, { healthy: result.healthy, at: deps.clock.now() })
  if (before?.healthy === false || !result.healthy) queues.outdated(observed.lease.spec.poolRef)
  return true
}

/** Several leases of one requester are planned at the same time, each seeing room for itself: here they come one by one. */
async function recordWithinQuota(pass: LeasePass, action: Action<'RecordIntent'>): Promise<boolean> {
  const { deps, holders, queues, lease } = pass
  const { quota } = policyOf(deps, holders, lease)
  if (quota !== undefined && quota.held >= quota.cap) return false
  const chosen = holders.choosing({ ...lease, status: { ...leaseStatusOf(lease), binding: action.binding } })
  let recorded = false
  try {
    recorded = await landed(() => recordIntent(pass, action))
    return recorded
  } finally {
    chosen()
    if (!recorded) queues.outdated(lease.spec.poolRef)
  }
}

async function recordIntent(pass: LeasePass, { binding }: Action<'RecordIntent'>): Promise<void> {
  const { deps, lease } = pass
  const patch = fencedStatusPatch(lease, { ...leaseStatusOf(lease), binding })
  if (patch === undefined) return
  wrote(pass, await deps.client.patch(CLUSTER_LEASES, refOf(lease), patch, { subresource: 'status' }))
}

async function reserveInstance(pass: LeasePass, action: Action<'ReserveInstance'>): Promise<void> {
  const { deps, queues, observed, now } = pass
  const instance = chosenMember(
    observed,
    ({ metadata }) => metadata.uid === action.uid && metadata.resourceVersion === action.resourceVersion,
  )
  if (instance === undefined) throw new TypeError(`the plan reserves ${action.name}, which was not observed`)
  const patch = fencedStatusPatch(instance, leasedStatus(instance, action.binding, now))
  if (patch === undefined) return
  try {
    deps.own.instances.record(
      await deps.client.patch(CLUSTER_INSTANCES, refOf(instance), patch, { subresource: 'status' }),
    )
    queues.shrunk(observed.lease.spec.poolRef)
  } catch (error) {
    // The cache still shows it free: without a look at it the next try would go for the same member again.
    if (isKubeError(error, 'Conflict')) {
      deps.own.instances.record(await deps.client.get(CLUSTER_INSTANCES, refOf(instance)))
    }
    queues.outdated(observed.lease.spec.poolRef)
    throw error
  }
}

/** What falls to the lease comes first: all members of its pool are only gone through when it is none of the expected. */
function chosenMember(
  observed: LeaseObserved,
  isIt: (instance: ClusterInstance) => boolean,
): ClusterInstance | undefined {
  const { lease, queue, bound } = observed
  const expected = [queue?.memberFor(lease.metadata.uid ?? ''), bound.state === 'found' ? bound.instance : undefined]
  return expected.find((instance) => instance !== undefined && isIt(instance)) ?? observed.instances.find(isIt)
}

async function deleteLease(
  { deps, observed }: LeasePass,
  { uid, resourceVersion }: Action<'DeleteLease'>,
): Promise<boolean> {
  try {
    await deps.client.delete(CLUSTER_LEASES, refOf(observed.lease), { uid, resourceVersion })
    return true
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return true
    if (isKubeError(error, 'Conflict')) return false
    throw error
  }
}

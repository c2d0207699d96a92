/**
 * What a requester may do to its lease: release, extend, give a sign of life. Each reads, decides and writes under the
 * resourceVersion it has read; when another writer was first it starts again, so a caller never sees such a conflict.
 */
import { formatTimestamp, parseTimestamp } from '../../api/timestamp.ts'
import type { AccessPolicy } from '../../api/v1alpha1/access-policy.ts'
import type { ClusterLease, LeaseStatus } from '../../api/v1alpha1/cluster-lease.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import { releasedStatus } from '../../core/lease/lease-status.ts'
import type { KubeClient } from '../../kube/client.ts'
import type { Clock } from '../../kube/clock.ts'
import { isKubeError } from '../../kube/errors.ts'
import { ApiError } from '../errors.ts'
import { decideExtension } from './extension.ts'
import { isOver } from './lease-state.ts'
import type { LeaseStore } from './lease-store.ts'

export interface LeaseWrites {
  /** Nothing is written for a lease that is over. Throws `lease_not_found` when it is really absent. */
  release(lease: ClusterLease): Promise<void>
  /** Answers the lease with its new expiry. */
  extend(lease: ClusterLease, extensionMs: number): Promise<ClusterLease>
  heartbeat(lease: ClusterLease): Promise<ClusterLease>
}

export interface LeaseWritesDeps {
  readonly client: KubeClient
  readonly clock: Clock
  readonly store: LeaseStore
  readonly namespace: string
  policies(): readonly AccessPolicy[]
}

/** Status fields to set; `undefined`: leave the lease as it is. */
type Change = (lease: ClusterLease) => Partial<LeaseStatus> | undefined

const ATTEMPTS = 8

export function createLeaseWrites(deps: LeaseWritesDeps): LeaseWrites {
  const { clock, policies } = deps
  return {
    async release(lease) {
      await change(deps, lease, (now) => (isOver(now) ? undefined : releasedStatus(now, clock.now())))
    },
    extend: (lease, extensionMs) =>
      change(deps, lease, (now) => {
        const decision = decideExtension({ lease: now, extensionMs, policies: policies(), now: clock.now() })
        if (decision instanceof ApiError) throw decision
        return decision
      }),
    heartbeat: (lease) =>
      change(deps, lease, (now) => {
        if (isOver(now)) throw new ApiError('lease_ended')
        const last = parseTimestamp(now.status?.lastHeartbeat ?? '') ?? 0
        // Objects hold whole seconds: a second sign of life within one changes nothing.
        return clock.now() - last < 1000 ? undefined : { lastHeartbeat: formatTimestamp(clock.now()) }
      }),
  }
}

async function change(deps: LeaseWritesDeps, lease: ClusterLease, decide: Change): Promise<ClusterLease> {
  const name = lease.metadata.name ?? ''
  let current: ClusterLease | undefined = lease
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // A lease of the same name with another UID is somebody else's.
    if (current === undefined || current.metadata.uid !== lease.metadata.uid) throw new ApiError('lease_not_found')
    const status = decide(current)
    if (status === undefined) return current
    const written = await tryWrite(deps, current, status)
    if (written !== undefined) return written
    current = await deps.store.read(name)
  }
  throw new ApiError('conflict_retryable', {
    detail: `${ATTEMPTS} attempts were overtaken by other writers; send the request again`,
  })
}

/** `undefined`: another writer was first. */
async function tryWrite(
  deps: LeaseWritesDeps,
  lease: ClusterLease,
  status: Partial<LeaseStatus>,
): Promise<ClusterLease | undefined> {
  try {
    const written = await writeStatus(deps, lease, status)
    deps.store.wrote(written)
    return written
  } catch (error) {
    if (isKubeError(error, 'NotFound')) throw new ApiError('lease_not_found')
    if (isKubeError(error, 'Conflict')) return undefined
    throw error
  }
}

function writeStatus(
  { client, namespace }: LeaseWritesDeps,
  lease: ClusterLease,
  status: Partial<LeaseStatus>,
): Promise<ClusterLease> {
  const { name = '', uid, resourceVersion } = lease.metadata
  const body = { metadata: { uid, resourceVersion }, status }
  return client.patch(CLUSTER_LEASES, { name, namespace }, { type: 'merge', body }, { subresource: 'status' })
}

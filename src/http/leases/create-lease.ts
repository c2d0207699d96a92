/** Creates the ClusterLease of an admitted request. The API server's AlreadyExists is the arbiter of idempotency. */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import { CLUSTER_LEASES } from '../../api/v1alpha1/resources.ts'
import type { KubeClient } from '../../kube/client.ts'
import { isKubeError, type KubeError } from '../../kube/errors.ts'
import { ApiError } from '../errors.ts'
import { compareReplay } from './admission-decision.ts'
import { CREATE_TIMEOUT_MS } from './admission-record.ts'
import type { LeaseRequest } from './lease-request.ts'
import type { LeaseStore } from './lease-store.ts'
import { type NewLease, newLease } from './new-lease.ts'

/** `certain`: it is known whether the API server has the lease. After a lost answer it is not. */
export type CreateOutcome =
  | { readonly kind: 'there'; readonly lease: ClusterLease; readonly created: boolean; readonly certain: true }
  | { readonly kind: 'failed'; readonly error: ApiError; readonly certain: boolean }

export interface LeaseWriter {
  create(lease: NewLease): Promise<CreateOutcome>
  /** A lease that another request with the same key is creating at this moment; undefined when it does not come. */
  waitFor(name: string, request: LeaseRequest): Promise<ClusterLease | undefined>
}

export interface LeaseWriterDeps {
  readonly client: KubeClient
  readonly store: LeaseStore
  readonly clock: { after(ms: number): Promise<void> }
}

const AWAIT_ATTEMPTS = 20
const AWAIT_PAUSE_MS = 50

export function createLeaseWriter({ client, store, clock }: LeaseWriterDeps): LeaseWriter {
  return {
    async create(lease) {
      const signal = AbortSignal.timeout(CREATE_TIMEOUT_MS)
      try {
        // The API server fills the defaults; what it answers is a whole ClusterLease.
        const created = await client.create(CLUSTER_LEASES, newLease(lease) as ClusterLease, { signal })
        store.wrote(created)
        return { kind: 'there', lease: created, created: true, certain: true }
      } catch (error) {
        if (!isKubeError(error)) return { kind: 'failed', certain: false, error: unavailable(error) }
        if (error.code === 'AlreadyExists') return await existing(store, lease)
        return refused(error)
      }
    },
    async waitFor(name, request) {
      for (let attempt = 0; attempt < AWAIT_ATTEMPTS; attempt += 1) {
        const lease = await store.find(name)
        if (lease !== undefined) return sameRequest(request, lease)
        await clock.after(AWAIT_PAUSE_MS)
      }
      return undefined
    },
  }
}

async function existing(store: LeaseStore, { name, request }: NewLease): Promise<CreateOutcome> {
  const lease = await store.read(name)
  if (lease === undefined || request.idempotency === undefined) {
    // Gone between two calls, or one chance in 2^48 for a random name: the next attempt succeeds.
    return { kind: 'failed', certain: true, error: new ApiError('admission_busy', { retryAfterSeconds: 1 }) }
  }
  const decision = compareReplay(request, lease)
  if (decision.kind === 'refused') return { kind: 'failed', certain: true, error: decision.error }
  return { kind: 'there', lease, created: false, certain: true }
}

function sameRequest(request: LeaseRequest, lease: ClusterLease): ClusterLease {
  const decision = compareReplay(request, lease)
  if (decision.kind === 'refused') throw decision.error
  return lease
}

function refused(error: KubeError): CreateOutcome {
  if (error.code === 'Invalid' || error.code === 'BadRequest') {
    const [cause] = error.details.causes ?? []
    const field = cause?.field
    const detail = cause?.message ?? 'The API server refused the lease'
    return {
      kind: 'failed',
      certain: true,
      error: new ApiError('invalid_request', { detail, cause: error, ...(field ? { field } : {}) }),
    }
  }
  const certain = error.code !== 'Unreachable' && error.code !== 'Timeout' && error.code !== 'ServerError'
  return { kind: 'failed', certain, error: unavailable(error) }
}

function unavailable(cause: unknown): ApiError {
  return new ApiError('kubernetes_unavailable', {
    error: 'Failed to create lease',
    detail: 'The Kubernetes API did not take the lease; repeat the request with the same idempotency key',
    retryAfterSeconds: 1,
    cause,
  })
}

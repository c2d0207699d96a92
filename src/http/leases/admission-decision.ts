/**
 * Which of several requests of one principal are admitted, decided from one reading of the world. Pure. For each request, in
 * the order they came, the first that applies:
 *   1. its idempotency key has a lease already     -> that lease (or a refusal, when the request differs)
 *   2. the principal has as many leases as allowed -> quota_exhausted
 *   3. an active lease holds the alias             -> alias_in_use
 *   4. the pool cannot serve                       -> its reason
 *   5. admitted
 */
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { leaseName } from '../../api/v1alpha1/labels.ts'
import { ApiError } from '../errors.ts'
import type { AdmissionEntry } from './admission-record.ts'
import type { LeaseRequest } from './lease-request.ts'
import { isActive } from './lease-state.ts'

export interface Candidate {
  readonly request: LeaseRequest
  /** Fresh random hex for the name of the lease; unused with an idempotency key. */
  readonly nameHex: string
  readonly entryId: string
  /** Check 4: the pool, or why it cannot serve. */
  checkPool(): ClusterPool | ApiError
}

export type Decision =
  | { readonly kind: 'existing'; readonly lease: ClusterLease }
  /** The same key is admitted by an earlier request of this batch, or by another replica right now. */
  | { readonly kind: 'sameAs'; readonly entry: AdmissionEntry }
  | { readonly kind: 'refused'; readonly error: ApiError }
  | { readonly kind: 'admitted'; readonly entry: AdmissionEntry; readonly pool: ClusterPool }

export interface World {
  /** All leases of the principal, ended ones included. */
  readonly leases: readonly ClusterLease[]
  /** Admitted, not yet seen as leases. */
  readonly pending: readonly AdmissionEntry[]
  readonly now: number
}

export function decide(candidates: readonly Candidate[], world: World): Decision[] {
  const admitted: AdmissionEntry[] = []
  return candidates.map((candidate) => {
    const decision = decideOne(candidate, { ...world, pending: [...world.pending, ...admitted] })
    if (decision.kind === 'admitted') admitted.push(decision.entry)
    return decision
  })
}

function decideOne(candidate: Candidate, world: World): Decision {
  const { request } = candidate
  const name = nameFor(candidate)
  const same = request.idempotency === undefined ? undefined : replay(request, name, world)
  if (same !== undefined) return same
  const pool = overQuota(request, world) ?? aliasTaken(request, world) ?? candidate.checkPool()
  if (pool instanceof ApiError) return { kind: 'refused', error: pool }
  const alias = request.alias === undefined ? {} : { alias: request.alias }
  return { kind: 'admitted', pool, entry: { id: candidate.entryId, lease: name, at: world.now, ...alias } }
}

/** With a key the name follows from it: two replicas with the same request meet at the API server. */
export function nameFor({ request, nameHex }: Pick<Candidate, 'request' | 'nameHex'>): string {
  return leaseName((request.idempotency?.keyHash ?? nameHex).slice(0, 12))
}

function replay(request: LeaseRequest, name: string, world: World): Decision | undefined {
  const lease = world.leases.find((one) => one.metadata.name === name)
  if (lease !== undefined) return compareReplay(request, lease)
  const entry = world.pending.find((one) => one.lease === name)
  return entry === undefined ? undefined : { kind: 'sameAs', entry }
}

export function compareReplay(request: LeaseRequest, lease: ClusterLease): Decision {
  const { idempotency } = lease.spec
  if (
    idempotency?.keyHash === request.idempotency?.keyHash &&
    idempotency?.requestHash === request.idempotency?.requestHash
  ) {
    return { kind: 'existing', lease }
  }
  const detail = 'The key belongs to an earlier request whose body was different; use a new key for a new request'
  return { kind: 'refused', error: new ApiError('idempotency_mismatch', { detail, field: 'idempotencyKey' }) }
}

function overQuota({ principal }: LeaseRequest, { leases, pending }: World): ApiError | undefined {
  const cap = principal.rule.maxConcurrentLeases
  const held = leases.filter(isActive).length + pending.length
  if (held < cap) return undefined
  return new ApiError('quota_exhausted', {
    error: `Concurrent lease limit (${cap}) reached`,
    detail: `You have ${held} active leases; release one first`,
  })
}

function aliasTaken({ alias }: LeaseRequest, { leases, pending }: World): ApiError | undefined {
  if (alias === undefined) return undefined
  const holder = leases.find((lease) => isActive(lease) && lease.spec.alias === alias)?.metadata.name
  const taken = holder ?? pending.find((entry) => entry.alias === alias)?.lease
  if (taken === undefined) return undefined
  return new ApiError('alias_in_use', {
    error: `Alias '${alias}' is already in use by an active lease`,
    detail: `Lease ${taken} has this alias; release it or choose another`,
    field: 'alias',
  })
}

/**
 * Who may pass: `Authorization: Bearer <token of the lease>`, while the lease is Bound and unexpired and both sides of its
 * binding agree. A wrong token and an unknown lease get the same answer; what state a lease is in is told to its holder only.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { Clock } from '../../kube/clock.ts'
import { bearerOf } from '../auth/bearer.ts'
import type { ConnectTokens } from '../leases/connect-token.ts'
import type { LeaseAccess } from '../leases/lease-access.ts'
import { isActive, phaseOf, usableUntil } from '../leases/lease-state.ts'
import type { LeaseStore } from '../leases/lease-store.ts'
import { ConnectError } from './status-body.ts'

export interface Passage {
  readonly leaseName: string
  readonly instanceName: string
  /** For the audit line. */
  readonly identity: string
}

export type Authorize = (leaseName: string, authorization: string | undefined) => Promise<Passage>

export interface AuthorizeDeps {
  readonly store: LeaseStore
  readonly tokens: ConnectTokens
  readonly access: LeaseAccess
  readonly clock: Clock
}

const WRONG_TOKEN =
  'the token is not valid for this lease: the lease has ended, or the kubeconfig is not the one made for it. `kobe list` shows your leases, `kobe lease <pool>` gets a new cluster'

/** Throws `ConnectError`, or `KubeError` when the API server is needed and does not answer. */
export function createAuthorize(deps: AuthorizeDeps): Authorize {
  return async (leaseName, authorization) => {
    const lease = await leaseOfToken(deps, leaseName, authorization)
    refuseUnusable(lease, deps.clock.now())
    const bound = await deps.access.resolve(lease)
    if (!bound.ok) {
      const message = `the binding of ${leaseName} cannot be verified (${bound.code}); try again in a moment`
      throw new ConnectError({
        status: 503,
        message,
        outcome: 'backend_error',
        reason: 'binding_resolution',
        retryAfterSeconds: 1,
      })
    }
    return { leaseName, instanceName: bound.instance.metadata.name ?? '', identity: lease.spec.requester.identity }
  }
}

async function leaseOfToken(
  { store, tokens }: AuthorizeDeps,
  leaseName: string,
  authorization: string | undefined,
): Promise<ClusterLease> {
  const presented = bearerOf(authorization)
  if (presented === undefined) {
    const message = 'no bearer token in the request: use the kubeconfig that `kobe lease` wrote'
    throw new ConnectError({ status: 401, message, outcome: 'missing_token' })
  }
  const lease = await store.find(leaseName)
  // An ended lease may have lost its Secret already; then its token is as wrong as any.
  const expected = lease === undefined ? undefined : await tokens.find(lease)
  if (equals(presented, expected) && lease !== undefined) return lease
  const outcome = lease === undefined ? 'lease_not_found' : 'invalid_token'
  throw new ConnectError({ status: 401, message: WRONG_TOKEN, outcome })
}

function refuseUnusable(lease: ClusterLease, now: number): void {
  if (usableUntil(lease, now) !== undefined) return
  const name = lease.metadata.name
  const phase = phaseOf(lease)
  if (phase === 'Expired' || (isActive(lease) && phase === 'Bound')) {
    throw new ConnectError({
      status: 410,
      message: `${name} has expired (${lease.status?.expiresAt}). Lease a new cluster with \`kobe lease\``,
      outcome: 'expired',
    })
  }
  const message = `${name} is not active (phase ${phase}). Lease a new cluster with \`kobe lease\``
  throw new ConnectError({ status: 409, message, outcome: 'phase_not_bound' })
}

function equals(presented: string, expected: string | undefined): boolean {
  const same = timingSafeEqual(sha256(presented), sha256(expected ?? ''))
  return same && expected !== undefined
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Every error the API answers, in one table. A body is `{error, detail?, reason, field?}`: `error` says what happened, `detail`
 * why and what to do, `reason` is the key of this table (stable, for programs), `field` names the part of the request at fault.
 * `docs/reference/errors.md` lists the same table; a test compares the two.
 */

interface ErrorDefinition {
  readonly status: number
  /** The default of `error`. */
  readonly error: string
  /** When it is answered and what a caller does about it; a line of the reference. */
  readonly meaning: string
}

const define = (status: number, error: string, meaning: string): ErrorDefinition => ({ status, error, meaning })

export const API_ERRORS = {
  invalid_json: define(
    400,
    'The body is not valid JSON',
    'The request body cannot be parsed as JSON, or could be read in two ways: a key stands twice, a number cannot be kept exactly, or it is nested deeper than 64 levels.',
  ),
  bad_request: define(
    400,
    'The request cannot be read',
    'The URL, a header or the framing of the request is malformed.',
  ),
  invalid_profile: define(
    400,
    'Invalid profile name',
    'The pool name is not a DNS label, or `profile` and `pool` name two different pools.',
  ),
  invalid_alias: define(
    400,
    'Invalid lease alias',
    'The alias is not a DNS label (1 to 63 of a-z, 0-9 and `-`, alphanumeric at both ends).',
  ),
  invalid_ttl: define(
    400,
    'Invalid TTL format',
    'A duration is not of the form `30m`, `1h`, `2h30m` (units h, m, s; at most 365 days).',
  ),
  ttl_too_short: define(400, 'TTL too short', 'After the limit of the policy nothing is left of the TTL.'),
  invalid_idempotency_key: define(
    400,
    'Invalid idempotency key',
    'The key is empty, longer than 255 characters, or header and body carry different keys.',
  ),
  invalid_wait: define(400, 'Invalid wait', 'The `wait` parameter is not a duration such as `60s`.'),
  lease_not_bound: define(400, 'The lease is not in Bound phase', 'Only a Bound lease can be extended.'),
  extension_budget_exhausted: define(
    400,
    'Maximum extensions reached',
    'The lease was extended as often as the policy allows.',
  ),
  extension_too_long: define(
    400,
    'Extension would exceed maximum TTL',
    'The new expiry would lie after the moment of binding plus the `maxTtl` of the policy.',
  ),
  extension_refused: define(
    400,
    'The lease cannot be extended',
    'No rule of an AccessPolicy covers the lease any more, or its record is incomplete.',
  ),
  unauthorized: define(
    401,
    'Unauthorized',
    'No credential, or none that an AccessPolicy accepts. Send `Authorization: Bearer <token>`.',
  ),
  pool_forbidden: define(
    403,
    'Profile not allowed for your identity type',
    'The rule of the AccessPolicy does not list the pool. Says nothing about whether the pool exists.',
  ),
  cluster_forbidden: define(
    403,
    'Not allowed on this cluster',
    'The rule of the AccessPolicy does not grant the verb on the cluster; `detail` names it.',
  ),
  lease_not_found: define(
    404,
    'Lease not found',
    "There is no such lease among those of the caller. The same answer for a missing lease and for somebody else's.",
  ),
  pool_not_found: define(404, 'Profile not found', 'There is no pool of this name.'),
  cluster_not_found: define(
    404,
    'Cluster not found',
    'There is no such ManagedCluster among those that the caller may view. The same answer for a missing one.',
  ),
  operation_not_found: define(
    404,
    'Operation not found',
    'There is no such operation on a cluster that the caller may view. The same answer for a missing one.',
  ),
  diagnostics_not_found: define(
    404,
    'No diagnostics available for this lease',
    'Neither the request nor the pool asked for diagnostics, they are not made yet, or they have been removed.',
  ),
  route_not_found: define(404, 'No such path', 'No route has this method and path.'),
  auth_discovery_not_found: define(
    404,
    'No OIDC login is configured',
    'No AccessPolicy offers an OIDC login, so there is nothing to discover.',
  ),
  request_timeout: define(408, 'The request took too long to arrive', 'The body was not received within 10 s.'),
  alias_in_use: define(
    409,
    'The alias is already in use by an active lease',
    'Another active lease of the caller has this alias. Release it, or choose another.',
  ),
  cluster_exists: define(
    409,
    'The cluster exists already',
    'There is a ManagedCluster of this name. Choose another name.',
  ),
  cluster_busy: define(409, 'An operation holds the cluster', '`detail` names it. Wait for its end, or cancel it.'),
  cluster_state_refused: define(
    409,
    'The state of the cluster does not allow it',
    '`detail` names the state, and those in which it may be done.',
  ),
  operation_ended: define(
    409,
    'The operation has ended',
    'It has ended, so it can neither be cancelled nor be given settings any more.',
  ),
  lease_ended: define(
    409,
    'The lease has ended',
    'The lease is released, expired or being recycled, so nothing can be changed on it.',
  ),
  conflict_retryable: define(
    409,
    'The lease is changing too fast',
    'Other writers won every attempt. Send the request again.',
  ),
  body_too_large: define(413, 'The body is too large', 'Bodies under /v1 are limited to 1 MiB.'),
  unsupported_media_type: define(
    415,
    'Unsupported content type',
    'Send the body with `Content-Type: application/json`.',
  ),
  invalid_request: define(
    422,
    'The request does not have the expected shape',
    'A field is missing, has the wrong type or is too large; `field` names it. With `fieldValidation=Strict` also a field that is not known.',
  ),
  idempotency_mismatch: define(
    422,
    'The idempotency key was used with another body',
    'Use a new key for a new request; send the same body to repeat one.',
  ),
  cleanup_mode_unsupported: define(
    422,
    'The pool does not support the cleanup mode',
    'VerifiedDestroy needs a backend that can prove the absence of everything it made.',
  ),
  invalid_kubeconfig: define(
    422,
    'The kubeconfig is refused',
    'It is incomplete, it would run a program or read a file of the operator, or the Secret that is named cannot be used. `detail` names the field.',
  ),
  settings_refused: define(
    422,
    'The settings are refused',
    'The provider, or a rule of rollouts, refuses them; `detail` has every reason. Nothing was stored, and the cluster is as it was.',
  ),
  operation_unsupported: define(
    422,
    'The operation is not supported',
    'The provider of the cluster, or this operator, cannot do it.',
  ),
  quota_exhausted: define(
    429,
    'Concurrent lease limit reached',
    'The caller holds as many active leases as its policy allows. No `Retry-After`: release one first.',
  ),
  server_busy: define(
    429,
    'Server is under heavy load',
    'Too many lease requests are in flight. Carries `Retry-After`.',
  ),
  rate_limited: define(
    429,
    'Too many requests',
    'The caller sends more requests than one principal may. Carries `Retry-After`. Looking at leases and pools, waiting, extending, heartbeats and releases are never refused for this.',
  ),
  headers_too_large: define(
    431,
    'The headers are too large',
    'The request line and the headers together are limited to 16 KiB.',
  ),
  internal: define(500, 'Internal error', 'A defect. The log has the cause under the same request id.'),
  admission_busy: define(
    503,
    'Unable to verify lease quota',
    'The admission record of the caller is contended or cannot be read. Carries `Retry-After`; nothing was created.',
  ),
  pool_exhausted: define(
    503,
    'Pool cannot satisfy a new lease',
    'The pool fails to make clusters and none is Ready. Carries `Retry-After`.',
  ),
  capacity_blocked: define(
    503,
    'Pool cannot satisfy a new lease',
    'The pool is at its ceiling, backing off, and none is Ready. Carries `Retry-After`.',
  ),
  pool_deleting: define(503, 'Pool is being deleted', 'The pool takes no new leases. Lease from another pool.'),
  cluster_unreachable: define(
    503,
    'The cluster cannot be judged now',
    'The cluster, or the provider of its machines, does not answer. Carries `Retry-After`; nothing was stored.',
  ),
  operation_not_started: define(
    503,
    'The operation was not taken up',
    'No operator has taken it up in time, so that its settings could not be stored; it is cancelled. Carries `Retry-After`.',
  ),
  starting: define(
    503,
    'The server is starting',
    'Its caches are not filled yet, so it knows neither policies nor leases. Carries `Retry-After`.',
  ),
  kubernetes_unavailable: define(
    503,
    'The Kubernetes API cannot be reached',
    'The request needs the host API server, which does not answer. Carries `Retry-After`.',
  ),
} as const satisfies Record<string, ErrorDefinition>

export type ApiErrorReason = keyof typeof API_ERRORS

export interface ApiErrorDetails {
  /** Replaces the table's `error`. */
  readonly error?: string
  readonly detail?: string
  /** The field of the body, the path or the header at fault. */
  readonly field?: string
  readonly retryAfterSeconds?: number
  readonly cause?: unknown
}

/** An answer that is not a success. Thrown anywhere below a route; the error handler of the app renders it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly reason: ApiErrorReason
  readonly status: number
  readonly details: ApiErrorDetails

  constructor(reason: ApiErrorReason, details: ApiErrorDetails = {}) {
    super(details.error ?? API_ERRORS[reason].error, details.cause === undefined ? undefined : { cause: details.cause })
    this.reason = reason
    this.status = API_ERRORS[reason].status
    this.details = details
  }
}

export interface ErrorBody {
  error: string
  detail?: string
  reason: ApiErrorReason
  field?: string
}

export function errorBody(error: ApiError): ErrorBody {
  const { detail, field } = error.details
  return {
    error: error.message,
    ...(detail === undefined ? {} : { detail }),
    reason: error.reason,
    ...(field === undefined ? {} : { field }),
  }
}

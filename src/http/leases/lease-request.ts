/** POST /v1/leases from body to decision-ready request: the checks that need nothing but the request and the policy, in order. */
import { createHash } from 'node:crypto'
import { parseDuration } from '../../api/duration.ts'
import type { CleanupMode } from '../../api/v1alpha1/cluster-lease.ts'
import { field } from '../../core/optional-field.ts'
import { mayUsePool, type Principal, principalKey } from '../auth/principal.ts'
import { ApiError } from '../errors.ts'
import type { CreateLeaseBody } from '../schemas/lease.ts'

export interface LeaseRequest {
  readonly principal: Principal
  readonly pool: string
  /** What was asked for; absent: the TTL of the pool. */
  readonly ttlMs?: number
  readonly alias?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly cleanupMode: CleanupMode
  readonly allowStale: boolean
  readonly idleTimeout?: string
  readonly diagnostics?: boolean
  readonly idempotency?: { readonly keyHash: string; readonly requestHash: string }
}

export const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/
const LONGEST_KEY = 255
const DURATION_HELP = "Use a format like '30m', '1h', '2h30m' (units h, m, s; at most 365 days)."

/** Throws the first `ApiError` in the order of the checks: profile, policy, alias, TTL, the rest. */
export function parseLeaseRequest(
  principal: Principal,
  body: CreateLeaseBody,
  keyHeader: string | undefined,
): LeaseRequest {
  const pool = poolOf(body)
  if (!mayUsePool(principal.rule, pool)) {
    const error = `Profile '${pool}' not allowed for your identity type`
    throw new ApiError('pool_forbidden', {
      error,
      detail: `Your policy allows: ${principal.rule.pools.join(', ')}`,
      field: 'profile',
    })
  }
  const alias = body.alias ?? undefined
  if (alias !== undefined && !DNS_LABEL.test(alias)) {
    throw new ApiError('invalid_alias', {
      detail: `alias '${shorten(alias)}' is not a DNS label: 1 to 63 of a-z, 0-9 and '-'`,
      field: 'alias',
    })
  }
  const ttlMs = durationField(body.ttl, 'ttl')
  const idleTimeout = body.idle_timeout ?? undefined
  durationField(idleTimeout, 'idle_timeout')
  return {
    principal,
    pool,
    cleanupMode: body.cleanup_mode ?? 'Standard',
    allowStale: body.allow_stale ?? true,
    ...field('ttlMs', ttlMs),
    ...field('alias', alias),
    ...field('metadata', metadataOf(body)),
    ...field('idleTimeout', idleTimeout),
    ...field('diagnostics', body.diagnostics ?? undefined),
    ...field('idempotency', idempotencyOf(principal, pool, { body, keyHeader })),
  }
}

/** As large as all annotations of an object may be. Bytes of JSON. */
const LARGEST_METADATA = 256 * 1024

function metadataOf({ metadata }: CreateLeaseBody): Record<string, unknown> | undefined {
  if (metadata === undefined || metadata === null) return undefined
  const bytes = Buffer.byteLength(JSON.stringify(metadata))
  if (bytes <= LARGEST_METADATA) return metadata
  const detail = `metadata has ${bytes} bytes as JSON; at most ${LARGEST_METADATA} are kept`
  throw new ApiError('invalid_request', { detail, field: 'metadata' })
}

function poolOf(body: CreateLeaseBody): string {
  if (body.profile !== undefined && body.pool !== undefined && body.profile !== body.pool) {
    throw new ApiError('invalid_profile', {
      detail: '`profile` and `pool` are two names of one field; send one of them',
      field: 'profile',
    })
  }
  const pool = body.profile ?? body.pool
  if (pool === undefined) {
    throw new ApiError('invalid_request', {
      detail: 'profile is required: the name of the pool to lease from',
      field: 'profile',
    })
  }
  if (!DNS_LABEL.test(pool)) {
    throw new ApiError('invalid_profile', {
      detail: `profile '${shorten(pool)}' is not a DNS label: 1 to 63 of a-z, 0-9 and '-'`,
      field: 'profile',
    })
  }
  return pool
}

export function durationField(text: string | null | undefined, name: string): number | undefined {
  if (text === undefined || text === null) return undefined
  const ms = parseDuration(text)
  if (ms === undefined)
    throw new ApiError('invalid_ttl', {
      detail: `Could not parse ${name} '${shorten(text)}'. ${DURATION_HELP}`,
      field: name,
    })
  return ms
}

/** Of the body or the header. @throws ApiError `invalid_idempotency_key` */
export function idempotencyKeyOf(
  body: { readonly idempotencyKey?: string | null },
  header: string | undefined,
): string | undefined {
  const inBody = body.idempotencyKey ?? undefined
  if (inBody !== undefined && header !== undefined && inBody !== header) {
    throw new ApiError('invalid_idempotency_key', {
      detail: 'idempotencyKey and the header Idempotency-Key differ',
      field: 'idempotencyKey',
    })
  }
  const key = inBody ?? header
  if (key !== undefined && (key === '' || key.length > LONGEST_KEY)) {
    throw new ApiError('invalid_idempotency_key', {
      detail: `A key has 1 to ${LONGEST_KEY} characters`,
      field: 'idempotencyKey',
    })
  }
  return key
}

function idempotencyOf(
  principal: Principal,
  pool: string,
  sent: { body: CreateLeaseBody; keyHeader: string | undefined },
) {
  const key = idempotencyKeyOf(sent.body, sent.keyHeader)
  return key === undefined ? undefined : { keyHash: keyHash(principal, key), requestHash: requestHash(pool, sent.body) }
}

function keyHash(principal: Principal, key: string): string {
  return sha256(`${principalKey(principal)}\n${key}`)
}

/** Every field that shapes the lease, in a fixed order, absent and null alike. */
function requestHash(pool: string, body: CreateLeaseBody): string {
  const parts = [body.ttl, body.alias, body.metadata, body.cleanup_mode, body.allow_stale, body.idle_timeout]
  // At the end and only where it is sent: requests of before have the hash they had.
  const later = body.diagnostics === undefined || body.diagnostics === null ? [] : [body.diagnostics]
  return sha256(JSON.stringify([pool, ...parts.map((part) => sorted(part) ?? null), ...later]))
}

/** The same data with the keys of every object in order: the order in which a client writes them means nothing. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Answers do not echo a megabyte. */
function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}...`
}

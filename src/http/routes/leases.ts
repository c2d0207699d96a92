/** `/v1/leases`: ask for a cluster, list one's own. */
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { field } from '../../core/optional-field.ts'
import { principalKey } from '../auth/principal.ts'
import type { HttpContext } from '../context.ts'
import { retryAfterSeconds } from '../leases/estimate.ts'
import { findPool } from '../leases/find-pool.ts'
import { parseLeaseRequest } from '../leases/lease-request.ts'
import { byAge } from '../leases/lease-state.ts'
import { isClamped } from '../leases/new-lease.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { createLeaseRequestGate } from '../overload.ts'
import { CreateLeaseBody, LeaseCreated, LeaseSummary } from '../schemas/lease.ts'
import { FieldValidation } from '../unknown-fields.ts'
import { leaseSummary } from '../views/lease-view.ts'
import { waitingView } from '../views/waiting.ts'

const CreateHeaders = Type.Object({
  'idempotency-key': Type.Optional(Type.String({ description: 'Another place for `idempotencyKey`.' })),
})
const ListQuery = Type.Object({
  alias: Type.Optional(Type.String({ description: 'Only the leases with this alias.' })),
})

const CREATE_SCHEMA = {
  tags: ['leases'],
  operationId: 'createLease',
  summary: 'Ask for a cluster',
  description:
    'Answers at once; the lease is Pending until a cluster is bound to it. Wait with `GET /v1/leases/{id}?wait=60s`. Checks, in this order: credential, shape, `profile`, policy, `alias`, `ttl`, quota, alias in use, pool.',
  security: BEARER,
  headers: CreateHeaders,
  querystring: FieldValidation,
  body: CreateLeaseBody,
  response: {
    202: LeaseCreated,
    ...errorResponses(
      'invalid_json',
      'invalid_profile',
      'invalid_alias',
      'invalid_ttl',
      'ttl_too_short',
      'invalid_idempotency_key',
      'unauthorized',
      'pool_forbidden',
      'pool_not_found',
      'request_timeout',
      'alias_in_use',
      'body_too_large',
      'unsupported_media_type',
      'invalid_request',
      'idempotency_mismatch',
      'cleanup_mode_unsupported',
      'quota_exhausted',
      'rate_limited',
      'server_busy',
      'internal',
      'admission_busy',
      'pool_exhausted',
      'capacity_blocked',
      'pool_deleting',
      'kubernetes_unavailable',
      'starting',
    ),
  },
}

const LIST_SCHEMA = {
  tags: ['leases'],
  operationId: 'listLeases',
  summary: 'List your leases',
  description: 'All leases of the caller, ended ones included while they are still there.',
  security: BEARER,
  querystring: ListQuery,
  response: {
    200: Type.Array(LeaseSummary, { description: 'Oldest first.' }),
    ...errorResponses('unauthorized', 'invalid_request', 'internal', 'starting'),
  },
}

export function leasesRoutes(app: FastifyInstance, context: HttpContext): void {
  const enter = createLeaseRequestGate(context.limits.leaseRequestsInFlight)
  app.post<{ Body: CreateLeaseBody; Headers: Static<typeof CreateHeaders> }>(
    '/v1/leases',
    {
      schema: CREATE_SCHEMA,
      onRequest: [async (_request, reply) => enter(reply.raw), context.sessions.requireCounted],
    },
    async (request, reply) => {
      const leaseRequest = parseLeaseRequest(
        context.sessions.principalOf(request),
        request.body,
        request.headers['idempotency-key'],
      )
      const pool = await findPool(context.deps, leaseRequest.pool)
      const { lease, created } = await context.admission.admit(leaseRequest, pool)
      if (created) context.metrics.claims.inc({ profile: leaseRequest.pool, event: 'created' })
      const body: LeaseCreated = {
        ...leaseSummary(lease, waitingView(context, lease)),
        ...field('effective_ttl', isClamped(leaseRequest, lease) ? lease.spec.ttl : undefined),
      }
      if (body.phase === 'Pending') reply.header('retry-after', String(retryAfterSeconds(body.estimate_seconds)))
      return reply.status(202).send(body)
    },
  )

  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/v1/leases',
    { schema: LIST_SCHEMA, onRequest: context.sessions.require },
    async (request) => {
      const principal = context.sessions.principalOf(request)
      const { alias } = request.query
      return context.store
        .ofRequester(principalKey(principal))
        .filter((lease) => alias === undefined || lease.spec.alias === alias)
        .sort(byAge)
        .map((lease) => ({ ...leaseSummary(lease, waitingView(context, lease)), requester: principal.identity }))
    },
  )
}

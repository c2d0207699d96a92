/** `/v1/leases/{id}`: look, wait, extend, give a sign of life, give back. */
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { field } from '../../core/optional-field.ts'
import type { HttpContext } from '../context.ts'
import { retryAfterSeconds } from '../leases/estimate.ts'
import { durationField } from '../leases/lease-request.ts'
import { phaseOf } from '../leases/lease-state.ts'
import { ownLease, ownLeaseNow } from '../leases/own-lease.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { ExtendLeaseBody, HeartbeatTaken, LeaseDetail, LeaseExtended } from '../schemas/lease.ts'
import { FieldValidation } from '../unknown-fields.ts'
import { leaseAnswer } from '../views/lease-answer.ts'
import { untilClosed, waitForObject, waitMs } from '../wait.ts'

export const LeaseParams = Type.Object({ id: Type.String({ description: 'Id of the lease.' }) })
type Params = Static<typeof LeaseParams>
const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.String({
      description:
        'Answer only when the lease is no longer Pending, or after this long, such as `60s` (which is the longest).',
    }),
  ),
})

const COMMON = ['unauthorized', 'lease_not_found', 'internal', 'kubernetes_unavailable', 'starting'] as const
const lease = (operationId: string, summary: string, description: string) => ({
  tags: ['leases'],
  operationId,
  summary,
  description,
  security: BEARER,
  params: LeaseParams,
})

const GET_SCHEMA = {
  ...lease(
    'getLease',
    'Look at a lease',
    'With `wait` a long poll that an event ends, not a timer. While Pending the answer carries `Retry-After`; once Bound it carries the kubeconfig.',
  ),
  querystring: WaitQuery,
  response: { 200: LeaseDetail, ...errorResponses('invalid_wait', 'invalid_request', ...COMMON) },
}
const EXTEND_SCHEMA = {
  ...lease(
    'extendLease',
    'Extend a lease',
    'Moves the expiry, at most `maxExtensions` times and never past `boundAt` plus the `maxTtl` of the policy.',
  ),
  querystring: FieldValidation,
  body: ExtendLeaseBody,
  response: {
    200: LeaseExtended,
    ...errorResponses(
      'invalid_json',
      'invalid_ttl',
      'lease_not_bound',
      'extension_budget_exhausted',
      'extension_too_long',
      'extension_refused',
      'request_timeout',
      'conflict_retryable',
      'body_too_large',
      'unsupported_media_type',
      'invalid_request',
      ...COMMON,
    ),
  },
}
const RELEASE_SCHEMA = {
  ...lease(
    'releaseLease',
    'Give a cluster back',
    'Also cancels a lease that waits. Releasing a lease that is over already is not an error.',
  ),
  response: { 204: { type: 'null', description: 'Released.' }, ...errorResponses('conflict_retryable', ...COMMON) },
}
const HEARTBEAT_SCHEMA = {
  ...lease(
    'heartbeatLease',
    'Give a sign of life',
    'Keeps a lease with `idle_timeout` from being released early. Does not move the expiry.',
  ),
  response: { 200: HeartbeatTaken, ...errorResponses('lease_ended', 'conflict_retryable', ...COMMON) },
}
export function leaseRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions, store, writes } = context
  const options = { onRequest: sessions.require }
  const own = (request: FastifyRequest<{ Params: Params }>) =>
    ownLease(store, sessions.principalOf(request), request.params.id)

  app.get<{ Params: Params; Querystring: Static<typeof WaitQuery> }>(
    '/v1/leases/:id',
    { ...options, schema: GET_SCHEMA },
    (request, reply) => getLease(context, request, reply),
  )
  app.patch<{ Params: Params; Body: ExtendLeaseBody }>(
    '/v1/leases/:id',
    { ...options, schema: EXTEND_SCHEMA },
    async (request) => {
      const extended = await writes.extend(
        await own(request),
        durationField(request.body.extend_ttl, 'extend_ttl') ?? 0,
      )
      context.metrics.claims.inc({ profile: extended.spec.poolRef, event: 'extended' })
      return { expires_at: extended.status?.expiresAt }
    },
  )
  app.delete<{ Params: Params }>('/v1/leases/:id', { ...options, schema: RELEASE_SCHEMA }, async (request, reply) => {
    await writes.release(await own(request))
    return reply.status(204).send()
  })
  app.post<{ Params: Params }>(
    '/v1/leases/:id/heartbeat',
    { ...options, schema: HEARTBEAT_SCHEMA },
    async (request) => {
      const { metadata, status, ...rest } = await writes.heartbeat(await own(request))
      return {
        id: metadata.name,
        phase: phaseOf({ metadata, ...rest, ...field('status', status) }),
        ...field('expires_at', status?.expiresAt),
        last_heartbeat: status?.lastHeartbeat,
      }
    },
  )
}

async function getLease(
  context: HttpContext,
  request: FastifyRequest<{ Params: Params; Querystring: Static<typeof WaitQuery> }>,
  reply: FastifyReply,
) {
  const { sessions, store, deps, limits } = context
  const { id } = request.params
  const principal = sessions.principalOf(request)
  const ms = waitMs(request.query.wait, limits.longestWaitMs)
  let current = await ownLease(store, principal, id)
  if (ms > 0 && phaseOf(current) === 'Pending') {
    const signal = untilClosed(reply.raw, context.closing)
    await waitForObject({ store, clock: deps.clock }, id, { ms, signal, done: (lease) => phaseOf(lease) !== 'Pending' })
    // What the policies said at the beginning of the wait may not hold any more.
    await sessions.require(request)
    current = ownLeaseNow(store, sessions.principalOf(request), id)
  }
  const answer = await leaseAnswer(context, current)
  if (answer.phase === 'Pending') reply.header('retry-after', String(retryAfterSeconds(answer.estimate_seconds)))
  return answer
}

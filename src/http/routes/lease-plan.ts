/** `/v1/leases/{id}/plan` and `/explain`: what the operator would do for a lease now, and why it is as it is. */
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { LeaseObserved } from '../../core/lease/observed.ts'
import type { HttpContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { ownLease } from '../leases/own-lease.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { LeaseExplanation, LeasePlan } from '../schemas/lease-plan.ts'
import { leaseExplanation, leasePlan } from '../views/lease-plan.ts'
import { waitingView } from '../views/waiting.ts'
import { LeaseParams } from './lease.ts'

type Params = Static<typeof LeaseParams>

const ERRORS = errorResponses(
  'unauthorized',
  'lease_not_found',
  'internal',
  'kubernetes_unavailable',
  'rate_limited',
  'starting',
)
const PLAN_SCHEMA = {
  tags: ['leases'],
  operationId: 'planLease',
  summary: 'Say what the operator would do for a lease now, and why',
  description: 'The plan of the next pass over the lease, made from what is observed at this moment. Nothing is done.',
  security: BEARER,
  params: LeaseParams,
  response: { 200: LeasePlan, ...ERRORS },
}
const EXPLAIN_SCHEMA = {
  tags: ['leases'],
  operationId: 'explainLease',
  summary: 'Say why a lease waits, is bound or has ended, and what is ahead of it',
  description: 'From the notes of the planner, as it would plan now. Carries no credential.',
  security: BEARER,
  params: LeaseParams,
  response: { 200: LeaseExplanation, ...ERRORS },
}

export function leasePlanRoutes(app: FastifyInstance, context: HttpContext): void {
  const { clock } = context.deps
  const options = { onRequest: context.sessions.requireCounted }
  app.get<{ Params: Params }>('/v1/leases/:id/plan', { ...options, schema: PLAN_SCHEMA }, async (request) =>
    leasePlan(await observe(context, request), clock.now()),
  )
  app.get<{ Params: Params }>('/v1/leases/:id/explain', { ...options, schema: EXPLAIN_SCHEMA }, async (request) => {
    const observed = await observe(context, request)
    return leaseExplanation(observed, waitingView(context, observed.lease), clock.now())
  })
}

/** Only the caller's own. One that was requested a moment ago is not in the cache yet: whoever asks again finds it there. */
async function observe(
  { deps, sessions, store }: HttpContext,
  request: FastifyRequest<{ Params: Params }>,
): Promise<LeaseObserved> {
  const { id } = request.params
  const { uid } = (await ownLease(store, sessions.principalOf(request), id)).metadata
  const observed = await deps.observeLease(id)
  if (observed !== undefined && observed.lease.metadata.uid === uid) return observed
  const detail = `Lease ${id} was requested a moment ago and nobody has looked at it yet`
  throw new ApiError('starting', { detail, retryAfterSeconds: 1 })
}

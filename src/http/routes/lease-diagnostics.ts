/** `/v1/leases/{id}/diagnostics`: the bundle that was made when the lease ended. It outlives the lease, until it is pruned. */
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { formatTimestamp } from '../../api/timestamp.ts'
import { principalKey } from '../auth/principal.ts'
import type { HttpContext } from '../context.ts'
import type { StoredDiagnostics } from '../deps.ts'
import { ApiError } from '../errors.ts'
import { ownLease } from '../leases/own-lease.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { DiagnosticsView } from '../schemas/lease.ts'
import { diagnosticsUrl } from '../views/lease-view.ts'
import { LeaseParams } from './lease.ts'

type Params = Static<typeof LeaseParams>
const COMMON = [
  'unauthorized',
  'lease_not_found',
  'diagnostics_not_found',
  'internal',
  'kubernetes_unavailable',
  'rate_limited',
  'starting',
] as const

const VIEW_SCHEMA = {
  tags: ['leases'],
  operationId: 'getLeaseDiagnostics',
  summary: 'Whether diagnostics of a lease are kept, and where',
  description:
    'Made when the lease ends, where the request (`diagnostics`) or the pool asks for it. Answered also after the lease is gone, until the bundle is pruned.',
  security: BEARER,
  params: LeaseParams,
  response: { 200: DiagnosticsView, ...errorResponses(...COMMON) },
}
const BUNDLE_SCHEMA = {
  tags: ['leases'],
  operationId: 'downloadLeaseDiagnostics',
  summary: 'Download the diagnostics of a lease',
  description: 'Events, resources and logs of the cluster as it was when the lease ended. Secrets are left out.',
  security: BEARER,
  params: LeaseParams,
  response: {
    200: {
      description: 'The bundle.',
      content: { 'application/json': { schema: { type: 'object', additionalProperties: true } } },
    },
    ...errorResponses(...COMMON),
  },
}

export function leaseDiagnosticsRoutes(app: FastifyInstance, context: HttpContext): void {
  const options = { onRequest: context.sessions.requireCounted }
  app.get<{ Params: Params }>('/v1/leases/:id/diagnostics', { ...options, schema: VIEW_SCHEMA }, async (request) => {
    const { id } = request.params
    const { capturedAt, keptUntil, bytes, complete } = await stored(context, request)
    return {
      url: diagnosticsUrl(context.deps, id),
      lease_id: id,
      captured_at: formatTimestamp(capturedAt),
      kept_until: formatTimestamp(keptUntil),
      bytes,
      complete,
    }
  })
  app.get<{ Params: Params }>(
    '/v1/leases/:id/diagnostics/bundle',
    { ...options, schema: BUNDLE_SCHEMA },
    async (request, reply) => {
      const bundle = await stored(context, request)
      return reply
        .type('application/json')
        .header('content-disposition', `attachment; filename="${request.params.id}-diagnostics.json"`)
        .header('cache-control', 'no-store')
        .send(await bundle.open())
    },
  )
}

async function stored(context: HttpContext, request: FastifyRequest<{ Params: Params }>): Promise<StoredDiagnostics> {
  const { deps, sessions, store } = context
  const { id } = request.params
  const principal = sessions.principalOf(request)
  const found = await deps.diagnostics?.find(id, principalKey(principal))
  if (found !== undefined) return found
  const { status } = await ownLease(store, principal, id)
  const ended = status?.endedAt !== undefined
  throw new ApiError(
    'diagnostics_not_found',
    ended ? { error: 'Diagnostics are being captured, try again shortly' } : {},
  )
}

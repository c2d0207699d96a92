/** `/v1/leases/{id}/events`: the lease after each of its changes, as server-sent events. */
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../context.ts'
import { eventText, type Follower, stillAllowed, streamEvents } from '../event-stream.ts'
import { isOver } from '../leases/lease-state.ts'
import { ownLease } from '../leases/own-lease.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { leaseAnswer } from '../views/lease-answer.ts'
import { LeaseParams } from './lease.ts'

const SCHEMA = {
  tags: ['leases'],
  operationId: 'watchLease',
  summary: 'Follow a lease',
  description:
    'Server-sent events. `lease` carries the same object as `GET /v1/leases/{id}`, first as it is and then after each change. `gone` is the last event: the lease is over or no longer there. A comment line every 15 s keeps the connection.',
  security: BEARER,
  params: LeaseParams,
  response: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    ...errorResponses('unauthorized', 'lease_not_found', 'internal', 'kubernetes_unavailable', 'starting'),
  },
}

export function leaseEventRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions, store } = context
  app.get<{ Params: Static<typeof LeaseParams> }>(
    '/v1/leases/:id/events',
    { schema: SCHEMA, onRequest: sessions.require },
    async (request, reply) => {
      const { id } = request.params
      await ownLease(store, sessions.principalOf(request), id)
      await streamEvents(context, request, reply, {
        onChange: (listener) => store.onChange(id, listener),
        events: (follower) => events(context, request, follower),
      })
    },
  )
}

type LeaseRequest = FastifyRequest<{ Params: Static<typeof LeaseParams> }>

async function* events(context: HttpContext, request: LeaseRequest, follower: Follower): AsyncGenerator<string> {
  const { id } = request.params
  const principal = context.sessions.principalOf(request)
  let last = ''
  do {
    const lease = context.store.peek(id)
    if (lease === undefined) return yield eventText('gone', {})
    if ((await stillAllowed(context, request)) === undefined) return
    const event = eventText('lease', await leaseAnswer(context, await ownLease(context.store, principal, id)))
    if (event !== last) yield event
    last = event
    if (isOver(lease)) return yield eventText('gone', {})
  } while (await follower.next())
}

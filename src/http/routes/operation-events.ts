/** `/v1/operations/{name}/events`: the operation after each of its changes and what is said about it, as server-sent events. */
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { NodeOperation } from '../../api/v1alpha1/node-operation.ts'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { requireVisible, visibleOperation } from '../clusters/find-cluster.ts'
import type { HttpContext } from '../context.ts'
import { eventText, type Follower, stillAllowed, streamEvents } from '../event-stream.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import type { NoteFeed } from '../operations/operation-notes.ts'
import { operationView } from '../views/operation-view.ts'
import { OperationParams } from './operation.ts'

const SCHEMA = {
  tags: ['operations'],
  operationId: 'watchOperation',
  summary: 'Follow an operation',
  description:
    'Server-sent events. `operation` carries the same object as `GET /v1/operations/{name}`, first as it is and then after each change; `note` something that the operator said about it, from the beginning on. `end` is the last event: it has ended, or is no longer there. With `Last-Event-ID` the operation is not told again unless it has changed. A comment line every 15 s keeps the connection.',
  security: BEARER,
  params: OperationParams,
  response: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    ...errorResponses('unauthorized', 'operation_not_found', 'internal', 'kubernetes_unavailable', 'starting'),
  },
}

type OperationRequest = FastifyRequest<{ Params: Static<typeof OperationParams> }>

export function operationEventRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions, operations, notes } = context
  app.get<{ Params: Static<typeof OperationParams> }>(
    '/v1/operations/:name/events',
    { schema: SCHEMA, onRequest: sessions.require },
    async (request, reply) => {
      const { name } = request.params
      const operation = await visibleOperation(context, sessions.principalOf(request), name)
      let changed = (): void => undefined
      const feed = await notes.follow(operation, () => changed())
      try {
        await streamEvents(context, request, reply, {
          onChange(listener) {
            changed = listener
            return operations.onChange(name, listener)
          },
          events: (follower) => events(context, request, { feed, follower }),
        })
      } finally {
        feed.close()
      }
    },
  )
}

async function* events(
  context: HttpContext,
  request: OperationRequest,
  { feed, follower }: { readonly feed: NoteFeed; readonly follower: Follower },
): AsyncGenerator<string> {
  let last = request.headers['last-event-id']
  do {
    const operation = context.operations.peek(request.params.name)
    if (operation === undefined) return yield eventText('end', {})
    const principal = await stillAllowed(context, request)
    if (principal === undefined) return
    yield* news(context, requireVisible(operation, principal), { feed, last })
    last = operation.metadata.resourceVersion
    if (hasEnded(operation)) return yield eventText('end', {})
  } while (await follower.next())
}

function* news(
  { deps }: HttpContext,
  operation: NodeOperation,
  { feed, last }: { readonly feed: NoteFeed; readonly last: string | string[] | undefined },
): Generator<string> {
  for (const note of feed.take()) yield eventText('note', note)
  const { resourceVersion } = operation.metadata
  if (resourceVersion !== last)
    yield eventText('operation', operationView(operation, deps.clock.now()), resourceVersion)
}

/** `/v1/operations/{name}`: look, wait for the end, be told why. */
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { visibleOperation, visibleOperationNow } from '../clusters/find-cluster.ts'
import type { HttpContext } from '../context.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { OperationView } from '../schemas/operation.ts'
import { operationView } from '../views/operation-view.ts'
import { untilClosed, waitForObject, waitMs } from '../wait.ts'

export const OperationParams = Type.Object({ name: Type.String({ description: 'Name of the operation.' }) })
type Params = Static<typeof OperationParams>
const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.String({
      description:
        'Answer only when the operation has ended, or after this long, such as `30s` (`60s` is the longest).',
    }),
  ),
})

const COMMON = ['unauthorized', 'operation_not_found', 'internal', 'kubernetes_unavailable', 'starting'] as const
const operation = (operationId: string, summary: string, description: string) => ({
  tags: ['operations'],
  operationId,
  summary,
  description,
  security: BEARER,
  params: OperationParams,
})

const GET_SCHEMA = {
  ...operation('getOperation', 'Look at an operation', 'With `wait` a long poll that an event ends, not a timer.'),
  querystring: WaitQuery,
  response: { 200: OperationView, ...errorResponses('invalid_wait', 'invalid_request', ...COMMON) },
}

type OperationRequest = FastifyRequest<{ Params: Params; Querystring: Static<typeof WaitQuery> }>

export function operationRoutes(app: FastifyInstance, context: HttpContext): void {
  const options = { onRequest: context.sessions.require }
  app.get<{ Params: Params; Querystring: Static<typeof WaitQuery> }>(
    '/v1/operations/:name',
    { ...options, schema: GET_SCHEMA },
    (request, reply) => getOperation(context, request, reply),
  )
}

async function getOperation(context: HttpContext, request: OperationRequest, reply: FastifyReply) {
  const { sessions, operations, deps, limits } = context
  const { name } = request.params
  const ms = waitMs(request.query.wait, limits.longestWaitMs)
  let current = await visibleOperation(context, sessions.principalOf(request), name)
  if (ms > 0 && !hasEnded(current)) {
    const signal = untilClosed(reply.raw, context.closing)
    await waitForObject({ store: operations, clock: deps.clock }, name, { ms, signal, done: hasEnded })
    // What the policies said at the beginning of the wait may not hold any more.
    await sessions.require(request)
    current = visibleOperationNow(context, sessions.principalOf(request), name)
  }
  return operationView(current, deps.clock.now())
}

/** `/v1/operations/{name}`: look, wait for the end, be told why. */
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasEnded } from '../../core/nodes/operation-status.ts'
import { requireVerbs, verbsFor } from '../auth/cluster-access.ts'
import { visibleOperation, visibleOperationNow } from '../clusters/find-cluster.ts'
import { recordChange } from '../clusters/record-change.ts'
import type { HttpContext } from '../context.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { explainOperation } from '../operations/explain-operation.ts'
import { cancelOperation } from '../operations/operation-writes.ts'
import { OperationExplanation, OperationView } from '../schemas/operation.ts'
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

const EXPLAIN_SCHEMA = {
  ...operation(
    'explainOperation',
    'Say why an operation does what it does',
    'What it does, waits for or refuses now, node by node, and what was said about it before, oldest first.',
  ),
  response: { 200: OperationExplanation, ...errorResponses('rate_limited', ...COMMON) },
}
const CANCEL_SCHEMA = {
  ...operation(
    'cancelOperation',
    'End an operation after the nodes that are being worked on',
    'Needs the verb that it takes to ask for such an operation. Cancelling twice is no error.',
  ),
  response: {
    202: OperationView,
    ...errorResponses('cluster_forbidden', 'operation_ended', 'conflict_retryable', ...COMMON),
  },
}

type OperationRequest = FastifyRequest<{ Params: Params; Querystring: Static<typeof WaitQuery> }>

export function operationRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions, clusters, notes, deps } = context
  const options = { onRequest: sessions.require }
  const visible = (request: FastifyRequest<{ Params: Params }>) =>
    visibleOperation(context, sessions.principalOf(request), request.params.name)
  app.get<{ Params: Params; Querystring: Static<typeof WaitQuery> }>(
    '/v1/operations/:name',
    { ...options, schema: GET_SCHEMA },
    (request, reply) => getOperation(context, request, reply),
  )
  app.get<{ Params: Params }>(
    '/v1/operations/:name/explain',
    { schema: EXPLAIN_SCHEMA, onRequest: sessions.requireCounted },
    async (request) => {
      const found = await visible(request)
      const now = explainOperation(found, clusters.peek(found.spec.clusterRef.name))
      const before = await notes.of(found)
      const told = new Set(now.map(({ message }) => message))
      return {
        operation: operationView(found, deps.clock.now()),
        notes: [...now, ...before.filter(({ message }) => !told.has(message))],
      }
    },
  )
  app.post<{ Params: Params }>(
    '/v1/operations/:name/cancel',
    { ...options, schema: CANCEL_SCHEMA },
    async (request, reply) => {
      const found = await visible(request)
      const { clusterRef, type } = found.spec
      const principal = sessions.principalOf(request)
      requireVerbs(principal, clusterRef.name, ...verbsFor(type))
      const cancelled = await cancelOperation(context, found, `asked for by ${principal.identity}`)
      const { name } = request.params
      recordChange(context, request, { ManagedCluster: clusterRef.name, NodeOperation: name, change: 'cancel' })
      return reply.status(202).send(operationView(cancelled, deps.clock.now()))
    },
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

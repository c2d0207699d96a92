/** `/v1/operations`: runs over the nodes of standing clusters. */
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { requireVerbs, verbsFor } from '../auth/cluster-access.ts'
import { visibleCluster, visibleOperations } from '../clusters/find-cluster.ts'
import { recordChange } from '../clusters/record-change.ts'
import type { HttpContext } from '../context.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { beginOperation } from '../operations/begin-operation.ts'
import { createOperation } from '../operations/create-operation.ts'
import { parseOperationRequest } from '../operations/operation-request.ts'
import { CreateOperationBody, OperationList, OperationView } from '../schemas/operation.ts'
import { FieldValidation } from '../unknown-fields.ts'
import { operationView } from '../views/operation-view.ts'

const ListQuery = Type.Object({
  cluster: Type.Optional(Type.String({ description: 'Only those of this cluster.' })),
  limit: Type.Optional(Type.String({ description: 'At most so many; default 50.', pattern: '^[1-9][0-9]{0,3}$' })),
})

const DEFAULT_LIMIT = 50

const LIST_SCHEMA = {
  tags: ['operations'],
  operationId: 'listOperations',
  summary: 'List operations on the clusters you may see',
  description: 'The last ten of each cluster are kept after their end.',
  security: BEARER,
  querystring: ListQuery,
  response: { 200: OperationList, ...errorResponses('unauthorized', 'invalid_request', 'internal', 'starting') },
}

const CreateHeaders = Type.Object({
  'idempotency-key': Type.Optional(Type.String({ description: 'Another place for `idempotencyKey`.' })),
})
const CREATE_SCHEMA = {
  tags: ['operations'],
  operationId: 'createOperation',
  summary: 'Start an operation on a cluster',
  description:
    'Answers when the operation has taken the cluster, or has lost it to another. With `settings` it takes the cluster first, then stores them, then rolls; when they are refused, or cannot be stored, it is cancelled and the cluster is as it was. Needs the verb `rollout`, with settings `set` as well; `power` for Start and Stop, `destroy` for Destroy.',
  security: BEARER,
  headers: CreateHeaders,
  querystring: FieldValidation,
  body: CreateOperationBody,
  response: {
    202: OperationView,
    ...errorResponses(
      'invalid_json',
      'invalid_idempotency_key',
      'unauthorized',
      'cluster_forbidden',
      'cluster_not_found',
      'operation_not_found',
      'request_timeout',
      'cluster_busy',
      'cluster_state_refused',
      'operation_ended',
      'conflict_retryable',
      'body_too_large',
      'unsupported_media_type',
      'invalid_request',
      'idempotency_mismatch',
      'settings_refused',
      'operation_unsupported',
      'rate_limited',
      'internal',
      'cluster_unreachable',
      'operation_not_started',
      'kubernetes_unavailable',
      'starting',
    ),
  },
}

export function operationsRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions, deps } = context
  app.get<{ Querystring: Static<typeof ListQuery> }>(
    '/v1/operations',
    { schema: LIST_SCHEMA, onRequest: sessions.require },
    async (request) => {
      const { cluster, limit } = request.query
      const now = deps.clock.now()
      return {
        operations: visibleOperations(context, sessions.principalOf(request))
          .filter(({ spec }) => cluster === undefined || spec.clusterRef.name === cluster)
          .slice(0, limit === undefined ? DEFAULT_LIMIT : Number(limit))
          .map((operation) => operationView(operation, now)),
      }
    },
  )
  app.post<{ Body: CreateOperationBody; Headers: Static<typeof CreateHeaders> }>(
    '/v1/operations',
    { schema: CREATE_SCHEMA, onRequest: sessions.requireCounted },
    async (request, reply) => {
      const principal = sessions.principalOf(request)
      const asked = parseOperationRequest(principal, request.body, request.headers['idempotency-key'])
      const cluster = await visibleCluster(context, principal, asked.cluster)
      requireVerbs(principal, asked.cluster, ...verbsFor(asked.type, asked.settings !== undefined))
      const { operation, created } = await createOperation(context, asked, cluster)
      const { name = '' } = operation.metadata
      if (created)
        recordChange(context, request, { ManagedCluster: asked.cluster, NodeOperation: name, change: asked.type })
      const begun = await beginOperation(context, operation, asked.settings)
      return reply.status(202).send(operationView(begun, deps.clock.now()))
    },
  )
}

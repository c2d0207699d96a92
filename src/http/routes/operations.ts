/** `/v1/operations`: runs over the nodes of standing clusters. */
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { visibleOperations } from '../clusters/find-cluster.ts'
import type { HttpContext } from '../context.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { OperationList } from '../schemas/operation.ts'
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
}

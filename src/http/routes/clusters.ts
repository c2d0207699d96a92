/** `/v1/clusters`: the standing clusters, and describing one more. */
import type { FastifyInstance } from 'fastify'
import { visibleClusters } from '../clusters/find-cluster.ts'
import type { HttpContext } from '../context.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { ClusterList } from '../schemas/cluster.ts'
import { clusterView } from '../views/cluster-view.ts'

const LIST_SCHEMA = {
  tags: ['clusters'],
  operationId: 'listClusters',
  summary: 'List the clusters you may see',
  security: BEARER,
  response: { 200: ClusterList, ...errorResponses('unauthorized', 'internal', 'starting') },
}

export function clustersRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions } = context
  app.get('/v1/clusters', { schema: LIST_SCHEMA, onRequest: sessions.require }, async (request) => ({
    clusters: visibleClusters(context, sessions.principalOf(request)).map(clusterView),
  }))
}

/** `/v1/clusters`: the standing clusters, and describing one more. */
import type { FastifyInstance } from 'fastify'
import { requireVerbs } from '../auth/cluster-access.ts'
import { createCluster } from '../clusters/create-cluster.ts'
import { visibleClusters } from '../clusters/find-cluster.ts'
import { recordChange } from '../clusters/record-change.ts'
import type { HttpContext } from '../context.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { ClusterList, ClusterView, CreateClusterBody } from '../schemas/cluster.ts'
import { FieldValidation } from '../unknown-fields.ts'
import { clusterView } from '../views/cluster-view.ts'

const LIST_SCHEMA = {
  tags: ['clusters'],
  operationId: 'listClusters',
  summary: 'List the clusters you may see',
  security: BEARER,
  response: { 200: ClusterList, ...errorResponses('unauthorized', 'internal', 'starting') },
}

const CREATE_SCHEMA = {
  tags: ['clusters'],
  operationId: 'createCluster',
  summary: 'Describe a cluster that exists',
  description:
    'Makes a ManagedCluster. A kubeconfig that is sent is kept in a Secret that goes with it, and is never shown again. Needs the verb `create`.',
  security: BEARER,
  querystring: FieldValidation,
  body: CreateClusterBody,
  response: {
    201: ClusterView,
    ...errorResponses(
      'invalid_json',
      'unauthorized',
      'cluster_forbidden',
      'request_timeout',
      'cluster_exists',
      'body_too_large',
      'unsupported_media_type',
      'invalid_request',
      'invalid_kubeconfig',
      'rate_limited',
      'internal',
      'kubernetes_unavailable',
      'starting',
    ),
  },
}

export function clustersRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions } = context
  app.get('/v1/clusters', { schema: LIST_SCHEMA, onRequest: sessions.require }, async (request) => ({
    clusters: visibleClusters(context, sessions.principalOf(request)).map(clusterView),
  }))
  app.post<{ Body: CreateClusterBody }>(
    '/v1/clusters',
    { schema: CREATE_SCHEMA, onRequest: sessions.requireCounted },
    async (request, reply) => {
      const principal = sessions.principalOf(request)
      requireVerbs(principal, request.body.name, 'create')
      const cluster = await createCluster(context, request.body)
      recordChange(context, request, { ManagedCluster: request.body.name, change: 'create' })
      return reply.status(201).send(clusterView(cluster))
    },
  )
}

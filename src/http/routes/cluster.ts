/** `/v1/clusters/{name}`: one cluster and its nodes, the settings that are kept for them, and what a rollout would do. */
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { holderOf } from '../../core/nodes/held-cluster.ts'
import { field } from '../../core/optional-field.ts'
import { requireVerbs } from '../auth/cluster-access.ts'
import { visibleCluster } from '../clusters/find-cluster.ts'
import { recordChange } from '../clusters/record-change.ts'
import { keepSettings } from '../clusters/store-settings.ts'
import type { HttpContext } from '../context.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { amountOf } from '../operations/amount.ts'
import { ClusterDetail, ClusterView, StoreSettingsBody } from '../schemas/cluster.ts'
import { PlanBody, RolloutPlanView } from '../schemas/rollout-plan.ts'
import { FieldValidation } from '../unknown-fields.ts'
import { clusterDetail, clusterView } from '../views/cluster-view.ts'
import { rolloutPlanView } from '../views/rollout-plan.ts'

const ClusterParams = Type.Object({ name: Type.String({ description: 'Name of the cluster.' }) })
type Params = Static<typeof ClusterParams>

const COMMON = ['unauthorized', 'cluster_not_found', 'internal', 'kubernetes_unavailable', 'starting'] as const
const cluster = (operationId: string, summary: string, description: string) => ({
  tags: ['clusters'],
  operationId,
  summary,
  description,
  security: BEARER,
  params: ClusterParams,
})

const GET_SCHEMA = {
  ...cluster(
    'getCluster',
    'Look at a cluster and its nodes',
    'The nodes are read for the answer. What does not answer is absent from them.',
  ),
  response: { 200: ClusterDetail, ...errorResponses('rate_limited', ...COMMON) },
}

const PlanQuery = Type.Object({
  maxUnavailable: Type.Optional(
    Type.String({
      description: 'Most workers of a group at a time: a number or a percentage. Default: as the group says.',
    }),
  ),
  allowLastWorker: Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      type: 'string',
      enum: ['true', 'false'],
      description: 'Whether the only worker may be taken down. Default `false`.',
    }),
  ),
})
const PLAN_ERRORS = ['invalid_request', 'rate_limited', ...COMMON] as const
const PLAN_SCHEMA = {
  ...cluster(
    'planRollout',
    'Say what a rollout would do now, and why',
    'Which nodes, in which order, for which reason, what their drains would meet, and how long it would take. Evictions are asked for as dry runs; nothing is done.',
  ),
  querystring: PlanQuery,
  response: { 200: RolloutPlanView, ...errorResponses(...PLAN_ERRORS) },
}
const PLAN_SETTINGS_SCHEMA = {
  ...cluster(
    'planRolloutOfSettings',
    'Say what a rollout of other settings would do',
    'The same with settings that are not stored. Nothing is stored and nothing is done.',
  ),
  querystring: FieldValidation,
  body: PlanBody,
  response: {
    200: RolloutPlanView,
    ...errorResponses('invalid_json', 'request_timeout', 'body_too_large', 'unsupported_media_type', ...PLAN_ERRORS),
  },
}

const STORE_SCHEMA = {
  ...cluster(
    'setClusterSettings',
    'Store settings without touching a node',
    'What is left out stays as it is. Refused while an operation holds the cluster, and while it is being destroyed. Needs the verb `set`.',
  ),
  querystring: FieldValidation,
  body: StoreSettingsBody,
  response: {
    200: ClusterView,
    ...errorResponses(
      'invalid_json',
      'cluster_forbidden',
      'request_timeout',
      'cluster_busy',
      'cluster_state_refused',
      'conflict_retryable',
      'body_too_large',
      'unsupported_media_type',
      'invalid_request',
      'settings_refused',
      'rate_limited',
      'cluster_unreachable',
      ...COMMON,
    ),
  },
}

export function clusterRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions, deps, operations } = context
  const visible = (request: FastifyRequest<{ Params: Params }>) =>
    visibleCluster(context, sessions.principalOf(request), request.params.name)

  app.get<{ Params: Params }>(
    '/v1/clusters/:name',
    { schema: GET_SCHEMA, onRequest: sessions.requireCounted },
    async (request) => {
      const found = await visible(request)
      const holder = operations.peek(holderOf(found)?.name ?? '')
      return clusterDetail(found, await deps.insight.nodes(found), holder?.status?.nodes ?? [])
    },
  )
  app.get<{ Params: Params; Querystring: Static<typeof PlanQuery> }>(
    '/v1/clusters/:name/plan',
    { schema: PLAN_SCHEMA, onRequest: sessions.requireCounted },
    async (request) => {
      const { maxUnavailable, allowLastWorker } = request.query
      const asked = {
        ...field('maxUnavailable', amountOf(maxUnavailable)),
        allowLastWorker: allowLastWorker === 'true',
      }
      return rolloutPlanView(await deps.insight.plan(await visible(request), asked))
    },
  )
  app.post<{ Params: Params; Body: PlanBody }>(
    '/v1/clusters/:name/plan',
    { schema: PLAN_SETTINGS_SCHEMA, onRequest: sessions.requireCounted },
    async (request) => {
      const asked = { ...request.body, ...field('maxUnavailable', amountOf(request.body.maxUnavailable)) }
      return rolloutPlanView(await deps.insight.plan(await visible(request), asked))
    },
  )
  app.patch<{ Params: Params; Body: StoreSettingsBody }>(
    '/v1/clusters/:name/settings',
    { schema: STORE_SCHEMA, onRequest: sessions.requireCounted },
    async (request) => {
      const found = await visible(request)
      requireVerbs(sessions.principalOf(request), request.params.name, 'set')
      const stored = await keepSettings(context, found, request.body.groups)
      recordChange(context, request, { ManagedCluster: request.params.name, change: 'set' })
      return clusterView(stored)
    },
  )
}

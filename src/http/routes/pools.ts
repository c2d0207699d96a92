/** `/v1/pools`: what there is to lease. */
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import type { PoolObserved } from '../../core/pool/observed.ts'
import { mayUsePool, type Principal, principalKey, requesterKey } from '../auth/principal.ts'
import type { HttpContext } from '../context.ts'
import { ApiError } from '../errors.ts'
import { findPool } from '../leases/find-pool.ts'
import { DNS_LABEL } from '../leases/lease-request.ts'
import { byAge, isActive } from '../leases/lease-state.ts'
import { poolNotFound } from '../leases/preflight.ts'
import { isSameNamespace } from '../namespace.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { LeaseSummary } from '../schemas/lease.ts'
import { PoolView } from '../schemas/pool.ts'
import { PoolExplanation } from '../schemas/pool-explanation.ts'
import { PoolPlan } from '../schemas/pool-plan.ts'
import { leaseSummary } from '../views/lease-view.ts'
import { poolExplanation } from '../views/pool-explanation.ts'
import { poolNotes, poolPlan } from '../views/pool-plan.ts'
import { poolView } from '../views/pool-view.ts'
import { waitingView } from '../views/waiting.ts'

const PoolParams = Type.Object({ name: Type.String({ description: 'Name of the pool.' }) })
type Params = Static<typeof PoolParams>

const pools = (operationId: string, summary: string) => ({ tags: ['pools'], operationId, summary, security: BEARER })
const LIST_SCHEMA = {
  ...pools('listPools', 'List the pools you may use'),
  response: {
    200: Type.Array(PoolView, { description: 'By name.' }),
    ...errorResponses('unauthorized', 'internal', 'starting'),
  },
}
/** What can go wrong when one pool is asked for. */
const ONE_POOL_ERRORS = errorResponses(
  'unauthorized',
  'pool_forbidden',
  'pool_not_found',
  'internal',
  'kubernetes_unavailable',
  'starting',
)
const GET_SCHEMA = {
  ...pools('getPool', 'Look at a pool'),
  params: PoolParams,
  response: {
    200: PoolView,
    ...ONE_POOL_ERRORS,
  },
}
/** What it takes a plan to answer is counted. */
const PLAN_ERRORS = { ...ONE_POOL_ERRORS, ...errorResponses('rate_limited') }
const EXPLAIN_SCHEMA = {
  ...pools('explainPool', 'Say what shapes the members of a pool, and which are outdated by what'),
  description:
    'Sources of the spec hash: `spec` of the pool, `operator` configuration, content of `bootstraps`, `workload` that the backend makes. Values that may hold secrets are left out.',
  params: PoolParams,
  response: {
    200: PoolExplanation,
    ...PLAN_ERRORS,
  },
}
const PLAN_SCHEMA = {
  ...pools('planPool', 'Say what the operator would do for a pool now, and why'),
  description: 'The plan of the next pass over the pool, made from what is observed at this moment. Nothing is done.',
  params: PoolParams,
  response: {
    200: PoolPlan,
    ...PLAN_ERRORS,
  },
}
const LEASES_SCHEMA = {
  ...pools('listPoolLeases', 'List the active leases of a pool'),
  description: 'Whoever holds them; alias, metadata and requester only of your own.',
  params: PoolParams,
  response: {
    200: Type.Array(LeaseSummary, { description: 'Oldest first.' }),
    ...ONE_POOL_ERRORS,
  },
}

export function poolRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions, store } = context
  const options = { onRequest: sessions.require }
  const counted = { onRequest: sessions.requireCounted }

  app.get('/v1/pools', { ...options, schema: LIST_SCHEMA }, async (request) =>
    usablePools(context, sessions.principalOf(request)).map(poolView),
  )
  app.get<{ Params: Params }>('/v1/pools/:name', { ...options, schema: GET_SCHEMA }, async (request) =>
    poolView(await usablePool(context, request)),
  )
  app.get<{ Params: Params }>('/v1/pools/:name/explain', { ...counted, schema: EXPLAIN_SCHEMA }, async (request) => {
    const pool = await usablePool(context, request)
    const notes = poolNotes(observe(context, pool), context.deps.clock.now())
    return poolExplanation(pool, membersOf(context, pool), notes)
  })
  app.get<{ Params: Params }>('/v1/pools/:name/plan', { ...counted, schema: PLAN_SCHEMA }, async (request) =>
    poolPlan(observe(context, await usablePool(context, request)), context.deps.clock.now()),
  )
  app.get<{ Params: Params }>('/v1/pools/:name/leases', { ...options, schema: LEASES_SCHEMA }, async (request) => {
    const principal = sessions.principalOf(request)
    const pool = await usablePool(context, request)
    return store
      .list()
      .filter((lease) => lease.spec.poolRef === pool.metadata.name && isActive(lease))
      .sort(byAge)
      .map((lease) => leaseInPool(context, lease, principal))
  })
}

export function usablePools({ deps }: HttpContext, principal: Principal): ClusterPool[] {
  return deps.caches.pools
    .list()
    .filter(isSameNamespace(deps.namespace))
    .filter((pool) => mayUsePool(principal.rule, pool.metadata.name ?? ''))
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
}

/** A pool of the same name that was deleted and made again does not own the members of the old one. */
const membersOf = ({ deps }: HttpContext, { metadata }: ClusterPool): readonly ClusterInstance[] =>
  deps.caches.instances
    .list()
    .filter(isSameNamespace(deps.namespace))
    .filter(
      ({ spec: { poolRef } }) => poolRef?.name === metadata.name && (poolRef?.uid ?? metadata.uid) === metadata.uid,
    )

/** A pool that was applied a moment ago is not in the cache yet: whoever asks again finds it there. */
function observe({ deps }: HttpContext, { metadata: { name = '' } }: ClusterPool): PoolObserved {
  const observed = deps.observePool(name)
  if (observed !== undefined) return observed
  const detail = `Pool ${name} was created a moment ago and nobody has looked at it yet`
  throw new ApiError('starting', { detail, retryAfterSeconds: 1 })
}

/** Permission first: a caller learns of no pool that it may not use, not even that it is missing. */
async function usablePool(
  { deps, sessions }: HttpContext,
  request: FastifyRequest<{ Params: Params }>,
): Promise<ClusterPool> {
  const { name } = request.params
  if (!mayUsePool(sessions.principalOf(request).rule, name)) {
    throw new ApiError('pool_forbidden', {
      error: `Profile '${name}' not allowed for your identity type`,
      field: 'name',
    })
  }
  const pool = DNS_LABEL.test(name) ? await findPool(deps, name) : undefined
  if (pool === undefined) throw poolNotFound(name, 'name')
  return pool
}

function leaseInPool(context: HttpContext, lease: ClusterLease, principal: Principal): LeaseSummary {
  const { diagnostics_url: _, ...summary } = leaseSummary(lease, waitingView(context, lease))
  const { identity } = lease.spec.requester
  if (requesterKey(lease.spec.requester) === principalKey(principal)) return { ...summary, requester: identity }
  const { alias: _alias, metadata: _metadata, message: _message, ...foreign } = summary
  return foreign
}

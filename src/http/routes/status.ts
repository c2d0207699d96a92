/** `/v1/status`: what this server is, and who the caller is to it. Serves strangers too, with less. */
import type { FastifyInstance } from 'fastify'
import { field } from '../../core/optional-field.ts'
import type { HttpContext, Session } from '../context.ts'
import { ApiError } from '../errors.ts'
import { errorResponses } from '../openapi.ts'
import { StatusView } from '../schemas/pool.ts'
import { poolView } from '../views/pool-view.ts'
import { usablePools } from './pools.ts'

const STATUS_SCHEMA = {
  tags: ['status'],
  operationId: 'getStatus',
  summary: 'What this server is',
  description: 'Without a credential, or with one that is not accepted: version and ways to authenticate only.',
  response: { 200: StatusView, ...errorResponses('internal', 'kubernetes_unavailable') },
}
const DISCOVERY_SCHEMA = {
  tags: ['status'],
  operationId: 'getAuthDiscovery',
  summary: 'How to log in with OpenID Connect',
  response: errorResponses('auth_discovery_not_found'),
}

export function statusRoutes(app: FastifyInstance, context: HttpContext): void {
  app.get('/v1/status', { schema: STATUS_SCHEMA }, async (request) =>
    statusOf(context, await context.sessions.find(request)),
  )
  // OIDC is offered by no verifier, so there is never a login to discover.
  app.get('/.well-known/kunobi-auth', { schema: DISCOVERY_SCHEMA }, async () => {
    throw new ApiError('auth_discovery_not_found')
  })
}

function statusOf(context: HttpContext, session: Session | undefined): StatusView {
  const { authenticator, deps } = context
  const notes = authenticator.notes()
  return {
    version: deps.version,
    auth: {
      methods: authenticator.methods().map(({ type, policyName }) => ({ type, description: policyName })),
      sessions: session === undefined ? [] : [sessionView(session)],
    },
    pools: session === undefined ? [] : usablePools(context, session.principal).map(poolView).map(poolCounts),
    ...field('notes', notes.length === 0 ? undefined : notes),
  }
}

function sessionView({ principal, method }: Session) {
  return { method, identity: principal.identity, pools: [...principal.rule.pools] }
}

function poolCounts({ name, ready, leased, creating }: ReturnType<typeof poolView>) {
  return { name, ready, leased, creating, total: ready + leased + creating }
}

/** Builds the HTTP application. It does not listen: `startHttp` (server.ts) does, and tests call `app.inject`. */
import { setMaxListeners } from 'node:events'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { createAuthorize } from './connect/authorize.ts'
import { createGuests } from './connect/guest.ts'
import { type ConnectProxy, createConnectProxy } from './connect/proxy.ts'
import { createConnectSessions } from './connect/sessions.ts'
import { createContext, type HttpContext } from './context.ts'
import type { HttpDeps } from './deps.ts'
import { answer, installErrorHandler } from './error-handler.ts'
import { usableUntil } from './leases/lease-state.ts'
import { installOpenApi } from './openapi.ts'
import { installBodyDeadline } from './overload.ts'
import { reportPolicyNotes } from './policy-notes.ts'
import { requestIdOf } from './request-id.ts'
import { clusterRoutes } from './routes/cluster.ts'
import { clustersRoutes } from './routes/clusters.ts'
import { healthRoutes } from './routes/health.ts'
import { leaseRoutes } from './routes/lease.ts'
import { leaseDiagnosticsRoutes } from './routes/lease-diagnostics.ts'
import { leaseEventRoutes } from './routes/lease-events.ts'
import { leasePlanRoutes } from './routes/lease-plan.ts'
import { leasesRoutes } from './routes/leases.ts'
import { operationRoutes } from './routes/operation.ts'
import { operationEventRoutes } from './routes/operation-events.ts'
import { operationsRoutes } from './routes/operations.ts'
import { poolRoutes } from './routes/pools.ts'
import { statusRoutes } from './routes/status.ts'
import { parseStrictJson } from './strict-json.ts'
import { installUnknownFields } from './unknown-fields.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** `/connect`; served by the HTTPS listener only, beside the routes of the app. */
    readonly connectProxy: ConnectProxy
  }
}

export function createApp(deps: HttpDeps): FastifyInstance {
  const closing = new AbortController()
  // Every open wait and stream listens to it.
  setMaxListeners(0, closing.signal)
  const context = createContext(deps, closing.signal)
  const app = Fastify({
    logger: false,
    bodyLimit: context.limits.bodyBytes,
    genReqId: (raw) => requestIdOf(raw.headers['x-request-id'], deps.random),
    rewriteUrl: (raw) => collapseSlashes(raw.url ?? '/'),
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => answer(error, request, reply, deps.log),
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    forceCloseConnections: true,
  })
  installHooks(app, context)
  installErrorHandler(app, deps.log)
  installOpenApi(app, deps.version)
  app.decorate('connectProxy', createProxy(context))
  const stopReporting = reportPolicyNotes(context)
  app.addHook('preClose', async () => {
    closing.abort()
    stopReporting()
    app.connectProxy.close()
    context.tokens.close()
    context.store.close()
    context.waitTimes.close()
    context.clusters.close()
    context.operations.close()
  })
  // Registered as plugins, so that the OpenAPI plugin, which comes first, sees every route.
  for (const routes of ROUTES) {
    app.register((scope, _options, done) => {
      routes(scope, context)
      done()
    })
  }
  return app
}

const ROUTES: readonly ((app: FastifyInstance, context: HttpContext) => void)[] = [
  leasesRoutes,
  leaseRoutes,
  leaseEventRoutes,
  leaseDiagnosticsRoutes,
  leasePlanRoutes,
  poolRoutes,
  clustersRoutes,
  clusterRoutes,
  operationsRoutes,
  operationRoutes,
  operationEventRoutes,
  statusRoutes,
  healthRoutes,
]

/** `--endpoint http://host/` makes some clients ask for `//v1/status`. The query is left alone. */
function collapseSlashes(url: string): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return path.includes('//') ? path.replace(/\/{2,}/g, '/') + url.slice(path.length) : url
}

function installHooks(app: FastifyInstance, context: HttpContext): void {
  const { deps, metrics } = context
  installBodyDeadline(app, context.limits)
  acceptJson(app)
  installUnknownFields(app)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    const { method } = request
    metrics.requests.inc({ method, route, status: String(reply.statusCode) })
    metrics.requestSeconds.observe({ method, route }, reply.elapsedTime / 1000)
    const fields = {
      requestId: request.id,
      method,
      route,
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
    }
    deps.log[method === 'GET' || method === 'HEAD' ? 'debug' : 'info'](fields, 'request')
  })
}

/** JSON only. A client that always sends `Content-Type: application/json` sends it with an empty body too. */
function acceptJson(app: FastifyInstance): void {
  const parse = async (_request: FastifyRequest, body: string | Buffer): Promise<unknown> => {
    if (body === '') return undefined
    return parseStrictJson(String(body))
  }
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, parse)
}

function createProxy(context: HttpContext): ConnectProxy {
  const { deps, store, tokens, access, limits, metrics } = context
  const { clock, log, random } = deps
  const guests = createGuests(deps.guestKubeconfig)
  const authorize = createAuthorize({ store, tokens, access, clock })
  const instances = new Map<string, string>()
  const sessions = createConnectSessions(clock, {
    usableUntil(name) {
      const lease = store.peek(name)
      return lease === undefined ? undefined : usableUntil(lease, clock.now())
    },
    onEnded(name) {
      const instance = instances.get(name)
      instances.delete(name)
      if (instance !== undefined) guests.drop(instance)
    },
  })
  const unsubscribe = store.onAnyChange((name) => sessions.review(name))
  const proxy = createConnectProxy({
    clock,
    log,
    random,
    guests,
    sessions,
    metrics,
    limits,
    async authorize(leaseName, authorization) {
      const passage = await authorize(leaseName, authorization)
      instances.set(leaseName, passage.instanceName)
      return passage
    },
  })
  return {
    ...proxy,
    close() {
      unsubscribe()
      proxy.close()
    },
  }
}

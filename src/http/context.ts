/** What the routes share, made once per app out of the dependencies. */
import type { FastifyRequest } from 'fastify'
import type { ManagedCluster } from '../api/v1alpha1/managed-cluster.ts'
import type { NodeOperation } from '../api/v1alpha1/node-operation.ts'
import { MANAGED_CLUSTERS, NODE_OPERATIONS } from '../api/v1alpha1/resources.ts'
import { type Authenticator, createAuthenticator } from './auth/authenticator.ts'
import type { AuthMethod } from './auth/credential-verifier.ts'
import { type Principal, principalKey } from './auth/principal.ts'
import { createServiceAccountVerifier } from './auth/service-account.ts'
import { createStaticTokenVerifier } from './auth/static-token.ts'
import { DEFAULT_LIMITS, type HttpDeps, type HttpLimits } from './deps.ts'
import { ApiError } from './errors.ts'
import { type Admission, createAdmission } from './leases/admission.ts'
import { type ConnectTokens, createConnectTokens } from './leases/connect-token.ts'
import { createOutlooks, type Outlooks } from './leases/estimate.ts'
import { createLeaseAccess, type LeaseAccess } from './leases/lease-access.ts'
import { createLeaseStore, type LeaseStore } from './leases/lease-store.ts'
import { createLeaseWrites, type LeaseWrites } from './leases/lease-writes.ts'
import { createWaitTimes, type WaitTimes } from './leases/wait-times.ts'
import { createHttpMetrics, type HttpMetrics } from './metrics.ts'
import { isSameNamespace } from './namespace.ts'
import { createObjectStore, type ObjectStore } from './object-store.ts'
import { createOperationNotes, type OperationNotes } from './operations/operation-notes.ts'
import { createRateLimit, type RateLimit } from './rate-limit.ts'

export interface HttpContext {
  readonly deps: HttpDeps
  readonly limits: HttpLimits
  readonly metrics: HttpMetrics
  readonly authenticator: Authenticator
  readonly store: LeaseStore
  readonly tokens: ConnectTokens
  readonly access: LeaseAccess
  readonly admission: Admission
  readonly writes: LeaseWrites
  readonly waitTimes: WaitTimes
  readonly outlooks: Outlooks
  readonly clusters: ObjectStore<ManagedCluster>
  readonly operations: ObjectStore<NodeOperation>
  readonly notes: OperationNotes
  /** Aborted when the app closes: ends waits and streams. */
  readonly closing: AbortSignal
  readonly sessions: Sessions
}

export interface Session {
  readonly principal: Principal
  readonly method: AuthMethod
}

/** Who sent which request. A route that needs a caller has `require` among its `onRequest` hooks: before its body is read. */
export interface Sessions {
  /** Throws `ApiError` `unauthorized`. */
  require(request: FastifyRequest): Promise<void>
  /** `require`, for requests that cost much: one of the requests that its principal may send. Throws `rate_limited`. */
  requireCounted(request: FastifyRequest): Promise<void>
  /** For routes that serve strangers too. */
  find(request: FastifyRequest): Promise<Session | undefined>
  /** The caller of a request that went through `require`. */
  principalOf(request: FastifyRequest): Principal
}

function createSessions(authenticator: Authenticator, rate: RateLimit, notReady: HttpDeps['notReady']): Sessions {
  const sessions = new WeakMap<FastifyRequest, Session>()
  const enter = async (request: FastifyRequest): Promise<Session> => {
    // Without the policies every credential would look wrong, and a 401 makes clients give up.
    const missing = notReady?.()
    if (missing !== undefined) throw new ApiError('starting', { detail: missing, retryAfterSeconds: 1 })
    const session = await authenticator.authenticate(request.headers.authorization)
    sessions.set(request, session)
    return session
  }
  return {
    async require(request) {
      await enter(request)
    },
    async requireCounted(request) {
      rate.take(principalKey((await enter(request)).principal))
    },
    async find(request) {
      try {
        return request.headers.authorization === undefined
          ? undefined
          : await authenticator.authenticate(request.headers.authorization)
      } catch (error) {
        if (error instanceof ApiError && error.reason === 'unauthorized') return undefined
        throw error
      }
    },
    principalOf(request) {
      const session = sessions.get(request)
      if (session === undefined) throw new Error('the route does not require a session')
      return session.principal
    },
  }
}

export function createContext(deps: HttpDeps, closing: AbortSignal): HttpContext {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits }
  const metrics = createHttpMetrics(deps.registry)
  const { client, clock, namespace, caches } = deps
  const policies = () => caches.policies.list().filter(isSameNamespace(namespace))
  const authenticator = createAuthenticator({
    verifiers: [
      createStaticTokenVerifier((name) => caches.secrets.get(namespace, name)),
      createServiceAccountVerifier({ client, clock }),
    ],
    policies,
    onSuccess: (provider, method) => metrics.authSuccess.inc({ provider, method }),
    onFailure: (reason) => metrics.authFailure.inc({ provider: 'all', reason }),
  })
  const store = createLeaseStore({ cache: caches.leases, client, clock, namespace })
  const waitTimes = createWaitTimes(caches, namespace)
  return {
    deps,
    limits,
    metrics,
    authenticator,
    store,
    tokens: createConnectTokens({ ...deps, cache: caches.secrets }),
    access: createLeaseAccess({ ...deps, cache: caches.instances }),
    admission: createAdmission({ ...deps, store }),
    writes: createLeaseWrites({ client, clock, store, namespace, policies }),
    outlooks: createOutlooks(clock, (pool) => ({
      instances: waitTimes.members(pool),
      times: waitTimes.of(pool),
      leases: store.ofPool(pool),
    })),
    waitTimes,
    clusters: createObjectStore({ ...deps, cache: caches.clusters, type: MANAGED_CLUSTERS }),
    operations: createObjectStore({ ...deps, cache: caches.operations, type: NODE_OPERATIONS }),
    notes: createOperationNotes(deps),
    closing,
    sessions: createSessions(authenticator, createRateLimit(limits, clock), deps.notReady),
  }
}

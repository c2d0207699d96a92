/**
 * `/connect/<lease>/...`: the API server of a leased cluster, reached with the token of the lease. Requests and tunnels are
 * cut at once when the lease ends. One audit line for each, without query (it may hold a command) and without secrets.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HttpDeps, HttpLimits } from '../deps.ts'
import type { HttpMetrics } from '../metrics.ts'
import { requestIdOf } from '../request-id.ts'
import type { Authorize, Passage } from './authorize.ts'
import { forward } from './forward.ts'
import type { Guests } from './guest.ts'
import { refusalOf } from './refusal.ts'
import type { ConnectSessions } from './sessions.ts'
import { ConnectError, type Refusal, rawRefusal, refusalHeaders, statusBody } from './status-body.ts'
import { tunnel } from './upgrade.ts'

export interface ConnectProxy {
  /** Whether the URL is one of this proxy. */
  owns(url: string | undefined): boolean
  handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void>
  handleUpgrade(incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void>
  /** Cuts everything that is open. */
  close(): void
}

export interface ConnectProxyDeps extends Pick<HttpDeps, 'clock' | 'log' | 'random'> {
  readonly authorize: Authorize
  readonly guests: Guests
  readonly sessions: ConnectSessions
  readonly metrics: HttpMetrics
  readonly limits: HttpLimits
}

type Kind = 'buffered' | 'upgrade'

/** One request on its way. */
interface Visit {
  readonly kind: Kind
  readonly incoming: IncomingMessage
  readonly requestId: string
  readonly abort: AbortController
  readonly startedAt: number
  passage?: Passage
  /** Set when the lease ended under it. */
  ended: boolean
}

/** Longer is no name of an object; the log need not hold it. */
const LONGEST_NAME = 253

const LEASE_ENDED: Refusal = { status: 410, message: 'the lease has ended', outcome: 'expired' }

export function createConnectProxy(deps: ConnectProxyDeps): ConnectProxy {
  let tunnels = 0
  return {
    owns: (url) => targetOf(url) !== undefined,
    async handle(incoming, outgoing) {
      const visit = visitOf(deps, 'buffered', incoming)
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) visit.abort.abort()
      })
      await run(deps, visit, requestHandler(deps, visit, outgoing))
    },
    async handleUpgrade(incoming, client, head) {
      const visit = visitOf(deps, 'upgrade', incoming)
      client.on('error', () => client.destroy())
      client.once('close', () => visit.abort.abort())
      tunnels += 1
      const handler = tunnelHandler(deps, visit, { client, head, full: tunnels > deps.limits.tunnels })
      await run(deps, visit, handler)
      tunnels -= 1
    },
    close() {
      deps.sessions.closeAll()
      deps.guests.closeAll()
    },
  }
}

function requestHandler(deps: ConnectProxyDeps, visit: Visit, outgoing: ServerResponse): Handler {
  const { incoming, requestId, abort } = visit
  return {
    async pass(passage, target) {
      const guest = await deps.guests.get(passage.instanceName)
      await forward({
        incoming,
        outgoing,
        guest,
        target,
        requestId,
        dialTimeoutMs: deps.limits.dialTimeoutMs,
        signal: abort.signal,
        onAnswered: () => observe(deps, visit),
      })
      return outgoing.statusCode
    },
    refuse: (refusal) => answerRefusal(outgoing, refusal, requestId),
    drop: () => outgoing.destroy(),
  }
}

interface TunnelEnd {
  readonly client: Duplex
  readonly head: Buffer
  /** As many tunnels as allowed are open without this one. */
  readonly full: boolean
}

function tunnelHandler(deps: ConnectProxyDeps, visit: Visit, { client, head, full }: TunnelEnd): Handler {
  const { incoming, requestId, abort } = visit
  return {
    async pass(passage, target) {
      if (full) throw tooManyTunnels()
      const guest = await deps.guests.get(passage.instanceName)
      return await tunnel({
        incoming,
        client,
        head,
        guest,
        target,
        requestId,
        timeoutMs: deps.limits.dialTimeoutMs,
        signal: abort.signal,
        onAnswered: () => observe(deps, visit),
      })
    },
    refuse(refusal) {
      if (client.destroyed) return false
      client.end(rawRefusal(refusal, requestId), () => client.destroy())
      return true
    },
    drop: () => client.destroy(),
  }
}

interface Handler {
  /** Answers the HTTP status, once everything is passed on. */
  pass(passage: Passage, target: string): Promise<number>
  /** `false`: too late, something was answered already. */
  refuse(refusal: Refusal): boolean
  drop(): void
}

async function run(deps: ConnectProxyDeps, visit: Visit, handler: Handler): Promise<void> {
  const { sessions, metrics } = deps
  const open = metrics.connectOpen.labels(visit.kind)
  open.inc()
  let close = (): void => undefined
  try {
    const target = targetOf(visit.incoming.url)
    if (target === undefined)
      throw new ConnectError({ status: 404, message: 'no such path', outcome: 'lease_not_found' })
    const passage = await deps.authorize(target.leaseName, visit.incoming.headers.authorization)
    visit.passage = passage
    close = sessions.open(passage.leaseName, {
      cut() {
        visit.ended = true
        visit.abort.abort()
      },
    })
    const status = await handler.pass(passage, target.rest)
    metrics.connectOutcomes.inc({ outcome: 'ok' })
    audit(deps, visit, visit.ended ? { status, cut: true } : { status })
  } catch (error) {
    fail(deps, visit, handler, error)
  } finally {
    close()
    open.dec()
  }
}

function fail(deps: ConnectProxyDeps, visit: Visit, handler: Handler, error: unknown): void {
  const refusal = visit.ended ? LEASE_ENDED : refusalOf(error)
  const answered = handler.refuse(refusal)
  if (!answered) handler.drop()
  // Neither a client that hangs up nor a lease that ends under a watch is a failure: that is how every watch ends.
  const failed = answered || (error instanceof ConnectError && !visit.ended)
  const outcome = failed ? refusal.outcome : 'ok'
  deps.metrics.connectOutcomes.inc({ outcome })
  if (outcome === 'backend_error') {
    deps.metrics.connectErrors.inc({ reason: refusal.reason ?? 'other' })
    deps.log.warn(
      { requestId: visit.requestId, lease: visit.passage?.leaseName, reason: refusal.reason, err: causeOf(error) },
      'connect failed',
    )
  }
  audit(deps, visit, {
    outcome,
    ...(answered ? { status: refusal.status } : {}),
    ...(visit.ended ? { cut: true } : {}),
  })
}

function observe({ metrics, clock }: ConnectProxyDeps, { kind, startedAt }: Visit): void {
  metrics.connectSeconds.observe({ kind }, (clock.monotonic() - startedAt) / 1000)
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : String(cause)
}

function audit({ log, clock }: ConnectProxyDeps, visit: Visit, result: object): void {
  const { kind, incoming, requestId, passage } = visit
  const target = targetOf(incoming.url)
  log.info(
    {
      requestId,
      kind,
      lease: target?.leaseName.slice(0, LONGEST_NAME),
      identity: passage?.identity,
      method: incoming.method,
      path: target?.rest.split('?')[0],
      ...result,
      durationMs: Math.round(clock.monotonic() - visit.startedAt),
    },
    'connect',
  )
}

function visitOf(deps: ConnectProxyDeps, kind: Kind, incoming: IncomingMessage): Visit {
  const requestId = requestIdOf(incoming.headers['x-request-id'], deps.random)
  return { kind, incoming, requestId, abort: new AbortController(), startedAt: deps.clock.monotonic(), ended: false }
}

function answerRefusal(outgoing: ServerResponse, refusal: Refusal, requestId: string): boolean {
  if (outgoing.headersSent || outgoing.destroyed) return false
  const body = statusBody(refusal)
  outgoing.writeHead(refusal.status, refusalHeaders(refusal, requestId, body))
  outgoing.end(body)
  return true
}

function tooManyTunnels(): ConnectError {
  const message = 'too many exec, attach and port-forward sessions are open; try again in a moment'
  return new ConnectError({
    status: 503,
    message,
    outcome: 'backend_error',
    reason: 'upgrade_capacity',
    retryAfterSeconds: 5,
  })
}

/** The path and query after the lease go on exactly as they were sent: decoding them would change what they mean. */
function targetOf(url: string | undefined): { leaseName: string; rest: string } | undefined {
  const match = /^\/+connect\/([^/?#]+)([^#]*)$/.exec(url ?? '')
  if (match === null) return undefined
  const rest = match[2] ?? ''
  return { leaseName: match[1] ?? '', rest: rest.startsWith('/') ? rest : `/${rest}` }
}

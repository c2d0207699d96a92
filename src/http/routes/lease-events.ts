/** `/v1/leases/{id}/events`: the lease after each of its changes, as server-sent events. */
import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../context.ts'
import { isOver } from '../leases/lease-state.ts'
import { ownLease } from '../leases/own-lease.ts'
import { BEARER, errorResponses } from '../openapi.ts'
import { leaseAnswer } from '../views/lease-answer.ts'
import { LeaseParams } from './lease.ts'

/** Keeps proxies and clients from taking silence for a dead connection. */
const PING_MS = 15_000

const SCHEMA = {
  tags: ['leases'],
  operationId: 'watchLease',
  summary: 'Follow a lease',
  description:
    'Server-sent events. `lease` carries the same object as `GET /v1/leases/{id}`, first as it is and then after each change. `gone` is the last event: the lease is over or no longer there. A comment line every 15 s keeps the connection.',
  security: BEARER,
  params: LeaseParams,
  response: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: { type: 'string' } } } },
    ...errorResponses('unauthorized', 'lease_not_found', 'internal', 'kubernetes_unavailable', 'starting'),
  },
}

export function leaseEventRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sessions, store } = context
  app.get<{ Params: Static<typeof LeaseParams> }>(
    '/v1/leases/:id/events',
    { schema: SCHEMA, onRequest: sessions.require },
    async (request, reply) => {
      await ownLease(store, sessions.principalOf(request), request.params.id)
      await stream(context, request, reply)
    },
  )
}

type LeaseRequest = FastifyRequest<{ Params: Static<typeof LeaseParams> }>

async function stream(context: HttpContext, request: LeaseRequest, reply: FastifyReply): Promise<void> {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-request-id': request.id })
  raw.flushHeaders()
  const follower = follow(context, request.params.id)
  raw.once('close', follower.stop)
  context.closing.addEventListener('abort', follower.stop, { once: true })
  const cancelPing = ping(context, () => raw.write(': ping\n\n'))
  try {
    for await (const event of events(context, request, follower)) {
      if (!raw.write(event)) await drained(raw, follower)
    }
  } catch (error) {
    // The status line is sent: all that is left is to end the stream, and to say why in the log.
    context.deps.log.warn({ requestId: request.id, err: error }, 'lease event stream failed')
  } finally {
    cancelPing()
    follower.stop()
    context.closing.removeEventListener('abort', follower.stop)
    raw.end()
  }
}

/** What the policies said at the beginning may not hold any more. */
async function isStillAllowed({ sessions }: HttpContext, request: LeaseRequest): Promise<boolean> {
  return (await sessions.find(request)) !== undefined
}

async function* events(context: HttpContext, request: LeaseRequest, follower: Follower): AsyncGenerator<string> {
  const { id } = request.params
  const principal = context.sessions.principalOf(request)
  let last = ''
  do {
    const lease = context.store.peek(id)
    if (lease === undefined) return yield 'event: gone\ndata: {}\n\n'
    if (!(await isStillAllowed(context, request))) return
    const data = JSON.stringify(await leaseAnswer(context, await ownLease(context.store, principal, id)))
    if (data !== last) yield `event: lease\ndata: ${data}\n\n`
    last = data
    if (isOver(lease)) return yield 'event: gone\ndata: {}\n\n'
  } while (await follower.next())
}

interface Follower {
  /** Resolves true after a change since the last call, false when the stream is over. */
  next(): Promise<boolean>
  stop(): void
}

/** Several changes while the reader is busy are one. */
function follow({ store }: HttpContext, id: string): Follower {
  let changed = false
  let stopped = false
  let wake = (): void => undefined
  const unsubscribe = store.onChange(id, () => {
    changed = true
    wake()
  })
  return {
    async next() {
      if (!(changed || stopped)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      changed = false
      return !stopped
    },
    stop() {
      stopped = true
      unsubscribe()
      wake()
    },
  }
}

function ping({ deps }: HttpContext, send: () => void): () => void {
  let cancel = deps.clock.setTimer(PING_MS, tick)
  function tick(): void {
    send()
    cancel = deps.clock.setTimer(PING_MS, tick)
  }
  return () => cancel()
}

/** A reader that does not keep up is waited for, not buffered for. */
function drained(raw: FastifyReply['raw'], follower: Follower): Promise<void> {
  return new Promise((resolve) => {
    raw.once('drain', resolve)
    raw.once('close', () => {
      follower.stop()
      resolve()
    })
  })
}

/** Server-sent events about one object: what they all have in common. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from './context.ts'

/** Keeps proxies and clients from taking silence for a dead connection. */
const PING_MS = 15_000

export interface Follower {
  /** Resolves true after a change since the last call, false when the stream is over. */
  next(): Promise<boolean>
  stop(): void
}

export interface StreamedEvents {
  /** Called after each change of what the stream is about. Answers the unsubscribe function. */
  onChange(listener: () => void): () => void
  /** The events as they are sent; asks the follower for the next change. The stream ends with it. */
  events(follower: Follower): AsyncGenerator<string>
}

/** One event. `id` is what a client that comes again sends as `Last-Event-ID`. */
export function eventText(event: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

/** Takes the answer over, and resolves when it has ended. */
export async function streamEvents(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { onChange, events }: StreamedEvents,
): Promise<void> {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-request-id': request.id })
  raw.flushHeaders()
  const follower = follow(onChange)
  raw.once('close', follower.stop)
  // The client has hung up while the first look was taken.
  if (raw.destroyed) follower.stop()
  context.closing.addEventListener('abort', follower.stop, { once: true })
  const cancelPing = ping(context, () => raw.write(': ping\n\n'))
  try {
    for await (const event of events(follower)) {
      if (!raw.write(event)) await drained(raw, follower)
    }
  } catch (error) {
    // The status line is sent: all that is left is to end the stream, and to say why in the log.
    context.deps.log.warn({ requestId: request.id, err: error }, 'event stream failed')
  } finally {
    cancelPing()
    follower.stop()
    context.closing.removeEventListener('abort', follower.stop)
    raw.end()
  }
}

/** What the policies said at the beginning may not hold any more: undefined when the caller is none now. */
export async function stillAllowed({ sessions }: HttpContext, request: FastifyRequest) {
  return (await sessions.find(request))?.principal
}

/** Several changes while the reader is busy are one. */
function follow(onChange: StreamedEvents['onChange']): Follower {
  let changed = false
  let stopped = false
  let wake = (): void => undefined
  const unsubscribe = onChange(() => {
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

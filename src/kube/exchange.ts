/** One request and its parsed answer; reads that the server asks to repeat are repeated. */
import type { IncomingMessage } from 'node:http'
import { systemClock } from './clock.ts'
import { KubeError } from './errors.ts'
import { type HttpAnswer, type HttpRequest, requestName, retryAfterSeconds } from './http-request.ts'
import { errorOfAnswer } from './response-error.ts'
import type { Transport } from './transport.ts'

const READ_ATTEMPTS = 4
/** A longer wait is the caller's decision: it may have better things to do. */
const LONGEST_RETRY_AFTER_SECONDS = 10
const SHORTEST_RETRY_MS = 50

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The server said how long to wait: a read waits, somewhat longer so that not all clients return at once. */
function retryDelayMs(request: HttpRequest, error: KubeError, attempt: number): number | undefined {
  const { status, retryAfterSeconds } = error.details
  const asked = (status === 429 || status === 503) && retryAfterSeconds !== undefined
  if (!asked || request.method !== 'GET' || attempt >= READ_ATTEMPTS) return undefined
  if (retryAfterSeconds > LONGEST_RETRY_AFTER_SECONDS) return undefined
  return Math.max(SHORTEST_RETRY_MS, retryAfterSeconds * 1000) * (1 + Math.random() / 4)
}

function bodyOf(request: HttpRequest, answer: HttpAnswer): unknown {
  if (answer.contentType.includes('json')) {
    const body = parsed(answer.text)
    if (typeof body !== 'string' || answer.text.startsWith('"')) return body
    throw new KubeError('ServerError', `${requestName(request)}: the answer says it is JSON and is not`, {
      status: answer.status,
    })
  }
  return parsed(answer.text)
}

/**
 * @throws KubeError for every answer outside 2xx and for none. 429 and 503 with a wait of at most 10 s are retried, for
 * reads only, at most three times.
 */
export async function exchange(transport: Transport, request: HttpRequest): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    const answer = await transport.send(request)
    if (answer.status >= 200 && answer.status < 300) return bodyOf(request, answer)
    const error = errorOfAnswer(requestName(request), { ...answer, body: parsed(answer.text) })
    const delay = retryDelayMs(request, error, attempt)
    if (delay === undefined) throw error
    await systemClock.after(delay, request.signal)
    request.signal?.throwIfAborted()
  }
}

/** An answer that must be one object: anything else is not an API server. */
export async function exchangeObject<R>(transport: Transport, request: HttpRequest): Promise<R> {
  const body = await exchange(transport, request)
  if (typeof body === 'object' && body !== null) return body as R
  throw new KubeError('ServerError', `${requestName(request)}: the answer is no JSON object: is this an API server?`)
}

/** Opens a watch. @throws KubeError when the server refuses it. */
export async function openStream(transport: Transport, request: HttpRequest): Promise<IncomingMessage> {
  const response = await transport.open(request)
  if (response.statusCode === 200) return response
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const retryAfter = retryAfterSeconds(response.headers['retry-after']) ?? 0
  throw errorOfAnswer(requestName(request), {
    status: response.statusCode ?? 0,
    body: parsed(Buffer.concat(chunks).toString('utf8')),
    ...(retryAfter > 0 ? { retryAfterSeconds: retryAfter } : {}),
  })
}

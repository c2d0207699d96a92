/** Writes answers and failures to the connection. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { ApiError, conflict, internalError, MODIFIED, NoSuchPage, storageFailed } from '../errors.ts'
import type { Answer } from '../handlers/api-request.ts'
import { StaleEntryError } from '../store/store.ts'
import { StoreError } from '../store/store-error.ts'

/** Smaller bodies cost more to pack than to send `[k8s]`. */
const GZIP_FROM_BYTES = 128 * 1024

export async function sendAnswer(http: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const { status, contentType, warnings = [] } = answer
  let { body } = answer
  let length = Buffer.byteLength(body)
  const headers: Record<string, string | string[]> = {
    ...(contentType === '' ? {} : { 'Content-Type': contentType }),
    'Cache-Control': answer.cacheControl ?? 'no-cache, private',
  }
  const known = response.getHeader('Warning')
  const all = [...(Array.isArray(known) ? known : []), ...warnings.map(warningHeader)]
  if (all.length > 0) headers['Warning'] = all
  if (length >= GZIP_FROM_BYTES && acceptsGzip(http)) {
    body = await compress(body)
    length = body.length
    headers['Content-Encoding'] = 'gzip'
    headers['Vary'] = 'Accept-Encoding'
  }
  if (answer.retryAfterSeconds !== undefined) headers['Retry-After'] = String(answer.retryAfterSeconds)
  headers['Content-Length'] = String(length)
  response.writeHead(status, headers)
  // Text leaves in one piece with the head.
  response.end(http.method === 'HEAD' ? undefined : body)
}

async function compress(body: string | Buffer): Promise<Buffer> {
  const { gzip } = await import('node:zlib')
  return await promisify(gzip)(body, { level: 1 })
}

function acceptsGzip(http: IncomingMessage): boolean {
  return String(http.headers['accept-encoding'] ?? '').includes('gzip')
}

/** One value of `Warning`. */
export function warningHeader(text: string): string {
  return `299 - ${quoted(text)}`
}

/** A header holds neither line breaks nor anything beyond Latin-1. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replace(/[^\x20-\x7e]/g, '?')}"`
}

/** Every failure as a Status. Answers whether it was one that nobody foresaw. */
export function toApiError(error: unknown): { error: ApiError; unforeseen: boolean } {
  if (error instanceof ApiError) return { error, unforeseen: false }
  if (error instanceof StaleEntryError) {
    return { error: conflict({ group: '', plural: 'objects' }, '', MODIFIED), unforeseen: false }
  }
  if (error instanceof StoreError) return { error: storageFailed(error.message, error), unforeseen: true }
  return { error: internalError(error instanceof Error ? error.message : String(error), error), unforeseen: true }
}

export function failureAnswer(error: ApiError): Answer {
  if (error instanceof NoSuchPage) return { status: 404, contentType: 'text/plain; charset=utf-8', body: error.text }
  const seconds = error.details?.retryAfterSeconds
  return {
    status: error.code,
    contentType: 'application/json',
    body: JSON.stringify(error.toStatus()),
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  }
}

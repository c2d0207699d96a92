/** The body of a watch: one JSON event per line, however the network cuts it. */
import type { IncomingMessage } from 'node:http'
import type { KubeObject } from '../api/resource.ts'
import type { WatchEvent } from './client.ts'
import { KubeError } from './errors.ts'
import { errorOfWatchEvent, unreachable } from './response-error.ts'

/** No object is near this (etcd takes 1.5 MiB): a longer line is not a watch. */
const LONGEST_LINE_BYTES = 32 * 1024 * 1024
const NEWLINE = 0x0a

/** Bytes in, whole lines out. Text is decoded line by line, so a character cut in two by a chunk stays whole. */
export function createLineSplitter(longestLine: number = LONGEST_LINE_BYTES): {
  push(chunk: Buffer): string[]
  /** What came after the last newline. */
  rest(): string
} {
  let held: Buffer[] = []
  let heldBytes = 0
  const take = (tail: Buffer): string => {
    const line = held.length === 0 ? tail : Buffer.concat([...held, tail])
    held = []
    heldBytes = 0
    return line.toString('utf8')
  }
  return {
    push(chunk) {
      const lines: string[] = []
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        lines.push(take(chunk.subarray(start, end)))
        start = end + 1
      }
      if (start < chunk.length) {
        held.push(chunk.subarray(start))
        heldBytes += chunk.length - start
        if (heldBytes > longestLine) throw new RangeError(`a line of more than ${longestLine} bytes`)
      }
      return lines
    },
    rest: () => take(Buffer.alloc(0)),
  }
}

interface RawEvent {
  type?: unknown
  object?: KubeObject
}

/** @throws KubeError for an `ERROR` event and for a line that is no event. */
function parseEvent<T extends KubeObject>(line: string, request: string): WatchEvent<T> {
  let event: RawEvent
  try {
    event = JSON.parse(line) as RawEvent
  } catch (cause) {
    throw unreachable(request, new Error('the stream was cut in the middle of an event', { cause }))
  }
  const { type, object } = event
  if (type === 'ERROR') throw errorOfWatchEvent(request, object)
  if (typeof object !== 'object' || object === null || typeof object.metadata !== 'object') {
    throw new KubeError('ServerError', `${request}: an event of type ${JSON.stringify(type)} without an object`)
  }
  if (type === 'BOOKMARK') return { type, object }
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') return { type, object: object as T }
  throw new KubeError('ServerError', `${request}: an event of the unknown type ${JSON.stringify(type)}`)
}

async function* linesOf(response: IncomingMessage): AsyncGenerator<string, void, undefined> {
  const splitter = createLineSplitter()
  for await (const chunk of response) yield* splitter.push(chunk as Buffer)
  yield splitter.rest()
}

async function* eventsOf<T extends KubeObject>(response: IncomingMessage, request: string) {
  for await (const line of linesOf(response)) {
    if (line.trim() !== '') yield parseEvent<T>(line, request)
  }
}

/**
 * The events of one watch. Ends when the server ends it or `signal` aborts.
 * @throws KubeError `Unreachable` when the connection breaks, the code of the status for an `ERROR` event.
 */
export async function* readWatch<T extends KubeObject>(
  response: IncomingMessage,
  request: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  try {
    for await (const event of eventsOf<T>(response, request)) {
      if (signal?.aborted) return
      yield event
    }
  } catch (error) {
    if (!signal?.aborted) throw error instanceof KubeError ? error : unreachable(request, error)
  } finally {
    response.destroy()
  }
}

/** Server-sent events out of the text of a stream, cut anywhere. [WHATWG HTML 9.2.6] */
import { createParser } from 'eventsource-parser'

export interface ServerEvent {
  /** `message` when the server gives it no name. */
  readonly event: string
  readonly data: string
  /** The id of this event, or of the last one before it that had one. */
  readonly id: string | undefined
}

export interface EventParser {
  /** The next piece of the stream; answers the events that are complete with it. @throws Error when one is too large */
  push(text: string): readonly ServerEvent[]
}

/** An event larger than this is not one of Kobe. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

export function createEventParser(): EventParser {
  let complete: ServerEvent[] = []
  let lastId: string | undefined
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onId: (id) => {
      lastId = id
    },
    onEvent: ({ event = 'message', data }) => complete.push({ event, data, id: lastId }),
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded'
    },
  })
  return {
    push(text) {
      complete = []
      parser.feed(text)
      if (isTooLarge) throw new Error('an event is too large to be one of Kobe')
      return complete
    },
  }
}

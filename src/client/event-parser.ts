/** Server-sent events out of the text of a stream, cut anywhere. The grammar is that of the WHATWG HTML standard, 9.2.6. */

export interface ServerEvent {
  /** `message` when the server gives it no name. */
  readonly event: string
  readonly data: string
  /** The id of this event, or of the last one before it that had one. */
  readonly id: string | undefined
}

export interface EventParser {
  /** The next piece of the stream; answers the events that are complete with it. */
  push(text: string): readonly ServerEvent[]
}

/** An event larger than this is not one of Kobe. */
const MAX_EVENT_CHARS = 16 * 1024 * 1024

export function createEventParser(): EventParser {
  let rest = ''
  let lines: string[] = []
  let id: string | undefined
  const complete = (): ServerEvent[] => {
    const { event = 'message', data, id: own } = fieldsOf(lines)
    lines = []
    id = own ?? id
    return data === undefined ? [] : [{ event, data, id }]
  }
  return {
    push(text) {
      rest += text
      if (rest.length > MAX_EVENT_CHARS) throw new Error('an event is too large to be one of Kobe')
      // A carriage return at the end may be half of a line end.
      const cut = rest.endsWith('\r') ? rest.length - 1 : rest.length
      const parts = rest.slice(0, cut).split(/\r\n|\n|\r/)
      rest = `${parts.pop() ?? ''}${rest.slice(cut)}`
      return parts.flatMap((line) => {
        if (line === '') return complete()
        lines.push(line)
        return []
      })
    },
  }
}

interface Fields {
  readonly event?: string
  readonly data?: string
  readonly id?: string
}

/** Several lines of data are one text; a line that begins with a colon is a comment. */
function fieldsOf(lines: readonly string[]): Fields {
  const values = (name: string): string[] =>
    lines.flatMap((line) => {
      if (line === name) return ['']
      return line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, '')] : []
    })
  const data = values('data')
  const event = values('event').at(-1)
  const id = values('id').at(-1)
  return {
    ...(event === undefined || event === '' ? {} : { event }),
    ...(data.length === 0 ? {} : { data: data.join('\n') }),
    ...(id === undefined ? {} : { id }),
  }
}

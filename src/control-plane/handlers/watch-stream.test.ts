import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Core } from '../registry/core.ts'
import { WatchHub } from '../registry/watch-hub.ts'
import { Entry } from '../store/entry.ts'
import { WatchStream } from './watch-stream.ts'

/** A connection that takes nothing until it is told to. */
class StuckResponse extends EventEmitter {
  writableNeedDrain = true
  destroyed = false
  readonly written: string[] = []
  writeHead = () => this
  flushHeaders = () => undefined
  cork = () => undefined
  uncork = () => undefined
  write = (bytes: Buffer) => this.written.push(bytes.toString())
  end = () => this.emit('close')
  destroy = () => {
    this.destroyed = true
    this.emit('close')
  }
}

function open(response: StuckResponse, withBookmarks = false) {
  const watches = new WatchHub()
  const stream = new WatchStream({
    core: { watches } as Core,
    storage: 'things',
    response: response as unknown as ServerResponse,
    encode: (type, view) => Buffer.from(`${type} ${view.key}`),
    timeoutMs: 60_000,
    makeBookmark: withBookmarks ? () => new Entry('bookmark', 0, '{}') : undefined,
  })
  let subscribed = true
  stream.start([], () => () => {
    subscribed = false
  })
  return { stream, watches, isSubscribed: () => subscribed }
}

describe('WatchStream', () => {
  it('keeps events while the connection is full, and writes them in order when it drains', () => {
    const response = new StuckResponse()
    const { stream } = open(response)
    for (const key of ['a', 'b']) stream.push({ type: 'ADDED', view: new Entry(key, 1, '{}') })
    expect(response.written).toEqual([])
    response.writableNeedDrain = false
    response.emit('drain')
    expect(response.written).toEqual(['ADDED a', 'ADDED b'])
    stream.end()
  })

  it('drops a client that falls thousands of events behind, and forgets it', () => {
    const response = new StuckResponse()
    const { stream, watches, isSubscribed } = open(response)
    for (let n = 0; n <= 5000; n += 1) stream.push({ type: 'MODIFIED', view: new Entry('a', n, '{}') })
    expect([response.destroyed, watches.size, isSubscribed()]).toEqual([true, 0, false])
  })

  it('sends no bookmark while events are waiting: it would claim that they were seen', () => {
    const response = new StuckResponse()
    const { stream } = open(response, true)
    stream.push({ type: 'ADDED', view: new Entry('a', 1, '{}') })
    stream.bookmark()
    response.writableNeedDrain = false
    response.emit('drain')
    expect(response.written).toEqual(['ADDED a'])
    stream.bookmark()
    expect(response.written).toEqual(['ADDED a', 'BOOKMARK bookmark'])
    stream.end()
  })
})

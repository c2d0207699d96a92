import { describe, expect, test } from 'vitest'
import { createEventParser, type ServerEvent } from './event-parser.ts'

const STREAM = [
  ': ping\n\n',
  'id: 1\nevent: operation\ndata: {"a":1}\n\n',
  'event: note\ndata: one\ndata: two\n\n',
  'data\n\n',
  'event: empty\n\n',
  'id: 7\r\nevent: end\r\ndata: {}\r\n\r\n',
].join('')
const EVENTS: readonly ServerEvent[] = [
  { event: 'operation', data: '{"a":1}', id: '1' },
  { event: 'note', data: 'one\ntwo', id: '1' },
  { event: 'message', data: '', id: '1' },
  { event: 'end', data: '{}', id: '7' },
]

const parsed = (pieces: readonly string[]): ServerEvent[] => {
  const parser = createEventParser()
  return pieces.flatMap((piece) => parser.push(piece))
}

describe('server-sent events', () => {
  test('have names, data of several lines, ids that stay, and comments between them', () => {
    expect(parsed([STREAM])).toEqual(EVENTS)
  })

  test('are the same wherever the stream is cut', () => {
    for (let at = 1; at < STREAM.length; at += 1) {
      expect(parsed([STREAM.slice(0, at), STREAM.slice(at)])).toEqual(EVENTS)
    }
    expect(parsed([...STREAM])).toEqual(EVENTS)
  })

  test('one that is not complete is not told', () => {
    expect(parsed(['event: operation\ndata: {}\n'])).toEqual([])
  })

  test('one that never ends is given up before it fills the memory', () => {
    const piece = 'x'.repeat(1024 * 1024)
    expect(() => parsed(['data: ', ...Array.from({ length: 17 }, () => piece)])).toThrow('too large')
  })
})

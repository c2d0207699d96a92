import { describe, expect, test } from 'vitest'
import { createOutput, renderTable, type Sink } from './output.ts'

function sink(isTTY: boolean): Sink & { text: string } {
  return {
    text: '',
    isTTY,
    write(chunk: string) {
      this.text += chunk
    },
  }
}

describe('tables', () => {
  test('columns are as wide as their widest cell, and lines end without blanks', () => {
    expect(
      renderTable(
        ['A', 'LONGER'],
        [
          ['wide cell', ''],
          ['x', 'y'],
        ],
      ),
    ).toBe('A           LONGER\nwide cell\nx           y\n')
  })
})

describe('progress', () => {
  test('without a terminal each change is a line of its own, and repetitions are silent', () => {
    const stderr = sink(false)
    const output = createOutput(sink(false), stderr, { color: true })
    output.progress('place 2')
    output.progress('place 2')
    output.progress('place 1')
    output.progressDone()
    expect(stderr.text).toBe('place 2\nplace 1\n')
  })

  test('on a terminal it overwrites itself and leaves nothing behind', () => {
    const stderr = sink(true)
    const output = createOutput(sink(true), stderr, { color: true })
    output.progress('place 2')
    output.progressDone()
    expect(stderr.text).toBe('\r\u001b[2Kplace 2\r\u001b[2K')
  })
})

test.each([
  [true, true, '\u001b[1mx\u001b[0m'],
  [true, false, 'x'],
  [false, true, 'x'],
])('colour only on a terminal (%s) and when wanted (%s)', (isTTY, color, expected) => {
  expect(createOutput(sink(isTTY), sink(false), { color }).bold('x')).toBe(expected)
})

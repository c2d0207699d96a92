import { describe, expect, test } from 'vitest'
import { piece } from './line.ts'
import { createScreen } from './screen.ts'

const ESCAPE = String.fromCharCode(27)
const TOKENS = new RegExp(`${ESCAPE}\\[[?0-9;]*[A-Za-z]|\\n|\\r|[^${ESCAPE}\\n\\r]+`, 'g')

/** What a terminal shows after what was written to it: enough of one for cursor moves, erasing and text. */
function terminal(columns: number) {
  const sink = {
    columns,
    rows: 24,
    isTTY: true,
    writes: [] as string[],
    write: (text: string) => sink.writes.push(text),
  }
  let lines: string[] = []
  let row = 0
  let column = 0
  const apply = (token: string): void => {
    if (token === '\n') {
      row += 1
      column = 0
    } else if (token === '\r') column = 0
    else if (token.endsWith('A') && token.startsWith(ESCAPE)) row -= Number(token.slice(2, -1))
    else if (token === `${ESCAPE}[K`) lines[row] = (lines[row] ?? '').slice(0, column)
    else if (token === `${ESCAPE}[J`) lines = lines.slice(0, row)
    else if (!token.startsWith(ESCAPE)) {
      const line = lines[row] ?? ''
      lines[row] = `${line.slice(0, column)}${token}${line.slice(column + token.length)}`
      column += token.length
    }
  }
  return {
    sink,
    shown: () => {
      for (const text of sink.writes.splice(0)) for (const token of text.match(TOKENS) ?? []) apply(token)
      return lines
    },
  }
}

const drawn = (...texts: string[]) => texts.map((text) => [piece(text)])

describe('a screen', () => {
  test('is drawn again in place, longer or shorter', () => {
    const { sink, shown } = terminal(80)
    const screen = createScreen(sink)
    screen.draw(drawn('one', 'two'))
    expect(shown()).toEqual(['one', 'two'])
    screen.draw(drawn('1', '2', '3'))
    expect(shown()).toEqual(['1', '2', '3'])
    screen.draw(drawn('end'))
    expect(shown()).toEqual(['end'])
  })

  test('costs nothing when nothing changed, and one write when something did', () => {
    const { sink } = terminal(80)
    const screen = createScreen(sink)
    screen.draw(drawn('one'))
    screen.draw(drawn('one'))
    expect(sink.writes).toHaveLength(1)
    screen.draw(drawn('two'))
    expect(sink.writes).toHaveLength(2)
  })

  test('cuts what does not fit, as a line that wraps could not be taken back', () => {
    const { sink, shown } = terminal(30)
    createScreen(sink).draw(drawn('x'.repeat(100)))
    expect(shown()).toEqual([`${'x'.repeat(26)}...`])
  })

  test('of a window that was made narrower goes up over the lines that wrapped', () => {
    const { sink } = terminal(80)
    const screen = createScreen(sink)
    screen.draw(drawn('x'.repeat(70), 'y'))
    sink.columns = 40
    screen.draw(drawn('z'))
    expect(sink.writes[1]).toContain('\u001b[3A')
  })

  test('leaves its last drawing where it is', () => {
    const { sink, shown } = terminal(80)
    const screen = createScreen(sink)
    screen.draw(drawn('one'))
    screen.keep()
    screen.draw(drawn('two'))
    expect(shown()).toEqual(['one', 'two'])
  })
})

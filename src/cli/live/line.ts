/** Lines of a screen as pieces with a tone, so that width and colour are nobody else's business. */

/** `busy`: under way, or worth a look. */
export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'busy' | 'bad'

export interface Piece {
  readonly text: string
  readonly tone: Tone
}

export type Line = readonly Piece[]

/** What a server sends is shown, and never acted on by the terminal. */
const clean = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ')

export const piece = (text: string, tone: Tone = 'plain'): Piece => ({ text: clean(text), tone })

export const plainText = (line: Line): string => line.map(({ text }) => text).join('')

export const widthOf = (line: Line): number => line.reduce((sum, { text }) => sum + text.length, 0)

/** Cut to so many columns, with three dots where something is left out. */
export function cutTo(line: Line, columns: number): Line {
  if (widthOf(line) <= columns) return line
  let room = Math.max(0, columns - 3)
  const kept = line.map(({ text, tone }) => {
    const taken = text.slice(0, room)
    room -= taken.length
    return { text: taken, tone }
  })
  return [...kept.filter(({ text }) => text !== ''), { text: '...', tone: 'faint' }]
}

const CODES: Readonly<Record<Exclude<Tone, 'plain'>, number>> = { strong: 1, faint: 2, good: 32, busy: 33, bad: 31 }

export function painted(line: Line): string {
  return line.map(({ text, tone }) => (tone === 'plain' ? text : `\u001b[${CODES[tone]}m${text}\u001b[0m`)).join('')
}

/** Columns padded to their widest cell; the last one is not. */
export function aligned(rows: readonly (readonly Piece[])[], indent = ''): Line[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach(({ text }, column) => {
      widths[column] = Math.max(widths[column] ?? 0, text.length)
    })
  }
  return rows.map((row) => {
    const last = row.findLastIndex(({ text }) => text !== '')
    const cells = row.slice(0, last + 1).flatMap((cell, column): Piece[] => {
      const gap = column === last ? 0 : (widths[column] ?? 0) + 2 - cell.text.length
      return [cell, { text: ' '.repeat(gap), tone: 'plain' }]
    })
    return [piece(indent), ...cells].filter(({ text }) => text !== '')
  })
}

/**
 * A part of the terminal that is drawn again in place. Each drawing is one write that overwrites what was there and clears only
 * what is left of it, so nothing flickers; lines that do not change cost nothing.
 */
import type { Sink } from '../output.ts'
import { cutTo, type Line, painted, plainText, widthOf } from './line.ts'

export interface Screen {
  /** Lines that cutTo: more of them could not be taken back. */
  readonly rows: number
  readonly columns: number
  /** Replaces what was drawn before. */
  draw(lines: readonly Line[]): void
  /** Leaves what is drawn where it is; the next drawing begins below it. */
  keep(): void
}

const ERASE_LINE_END = '\u001b[K'
const ERASE_BELOW = '\u001b[J'
/** Terminals that know it show the whole drawing at once; others ignore it. */
const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'

const DEFAULT_COLUMNS = 80
const DEFAULT_ROWS = 24

export function createScreen(sink: Sink): Screen {
  let drawn: readonly Line[] = []
  const columns = (): number => Math.max(20, (sink.columns ?? DEFAULT_COLUMNS) - 1)
  // A window that was made narrower has wrapped what stands in it.
  const height = (): number =>
    drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / (columns() + 1))), 0)
  return {
    get rows() {
      return Math.max(5, (sink.rows ?? DEFAULT_ROWS) - 1)
    },
    get columns() {
      return columns()
    },
    draw(lines) {
      const next = lines.map((line) => cutTo(line, columns()))
      if (sameLines(next, drawn)) return
      const up = height()
      const text = next.map((line) => `${painted(line)}${ERASE_LINE_END}\n`).join('')
      sink.write(`${BEGIN}${up === 0 ? '' : `\u001b[${up}A\r`}${text}${ERASE_BELOW}${END}`)
      drawn = next
    },
    keep() {
      drawn = []
    },
  }
}

function sameLines(one: readonly Line[], other: readonly Line[]): boolean {
  if (one.length !== other.length) return false
  return one.every((line, index) => plainText(line) === plainText(other[index] ?? []))
}

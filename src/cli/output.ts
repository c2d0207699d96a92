/** What the CLI prints: data on stdout, everything else on stderr; colour and padding only where a person looks. */
import { stringify } from 'yaml'

export const OUTPUT_FORMATS = ['text', 'wide', 'json', 'yaml'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

export interface Sink {
  write(text: string): unknown
  readonly isTTY?: boolean
}

export interface Output {
  /** A line of data for a person (stdout). */
  line(text?: string): void
  /** An aligned table (stdout). */
  table(header: readonly string[], rows: readonly (readonly string[])[]): void
  /** A value for a program (stdout), as JSON or YAML. */
  data(value: unknown, format: OutputFormat): void
  /** Progress and warnings (stderr). */
  note(text: string): void
  /** Progress that may overwrite itself on a terminal (stderr); plain changed lines elsewhere. */
  progress(text: string): void
  /** Ends a progress line. */
  progressDone(): void
  bold(text: string): string
  dim(text: string): string
}

export function createOutput(stdout: Sink, stderr: Sink, color: boolean): Output {
  const paint = (code: number, text: string) => (color && stdout.isTTY ? `\u001b[${code}m${text}\u001b[0m` : text)
  const progress = createProgress(stderr)
  return {
    line: (text = '') => {
      stdout.write(`${text}\n`)
    },
    table: (header, rows) => {
      stdout.write(renderTable(header, rows))
    },
    data: (value, format) => {
      stdout.write(format === 'yaml' ? stringify(value) : `${JSON.stringify(value, null, 2)}\n`)
    },
    note: (text) => {
      progress.done()
      stderr.write(`${text}\n`)
    },
    progress: progress.show,
    progressDone: progress.done,
    bold: (text) => paint(1, text),
    dim: (text) => paint(2, text),
  }
}

function createProgress(stderr: Sink): { show(text: string): void; done(): void } {
  let last = ''
  let open = false
  return {
    show(text) {
      if (text === last) return
      last = text
      if (stderr.isTTY) stderr.write(`\r\u001b[2K${text}`)
      else stderr.write(`${text}\n`)
      open = stderr.isTTY === true
    },
    done() {
      if (open) stderr.write('\r\u001b[2K')
      open = false
      last = ''
    },
  }
}

/** Columns padded to their widest cell; the last one is not padded. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const render = (line: readonly string[]) =>
    line
      .map((cell, column) => (column === line.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 3)))
      .join('')
      .trimEnd()
  return `${lines.map(render).join('\n')}\n`
}

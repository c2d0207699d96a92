/** What the CLI prints: data on stdout, everything else on stderr; colour and padding only where a person looks. */

export const OUTPUT_FORMATS = ['text', 'wide', 'json', 'yaml'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

export interface Sink {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

export interface Output {
  /** A line of data for a person (stdout). */
  line(text?: string): void
  /** An aligned table (stdout). */
  table(header: readonly string[], rows: readonly (readonly string[])[]): void
  /** A value for a program (stdout), as JSON or YAML. */
  data(value: unknown, format: OutputFormat): Promise<void>
  /** One of several values for a program (stdout), as one line of JSON. */
  event(value: object): void
  /** Warnings and hints (stderr); with `-o json` a line of JSON. */
  note(text: string): void
  /**
   * Progress (stderr). It overwrites itself on a terminal; elsewhere each change is a line, with `-o json` a line of JSON that
   * carries `facts` as well.
   */
  progress(text: string, facts?: object): void
  /** Ends a progress line. */
  progressDone(): void
  bold(text: string): string
  dim(text: string): string
}

export interface OutputStyle {
  readonly color: boolean
  readonly format?: OutputFormat
}

export function createOutput(stdout: Sink, stderr: Sink, { color, format = 'text' }: OutputStyle): Output {
  const painted = color && stdout.isTTY === true
  const paint = (code: number, text: string) => (painted ? `\u001b[${code}m${text}\u001b[0m` : text)
  const progress = format === 'json' ? createEvents(stderr) : createProgress(stderr)
  return {
    line: (text = '') => {
      stdout.write(`${text}\n`)
    },
    table: (header, rows) => {
      stdout.write(renderTable(header, rows, painted ? paintCell : undefined))
    },
    data: async (value, as) => {
      stdout.write(as === 'yaml' ? (await import('yaml')).stringify(value) : `${JSON.stringify(value, null, 2)}\n`)
    },
    event: (value) => {
      stdout.write(`${JSON.stringify(value)}\n`)
    },
    note: (text) => {
      progress.done()
      stderr.write(format === 'json' ? `${JSON.stringify({ event: 'note', message: text })}\n` : `${text}\n`)
    },
    progress: progress.show,
    progressDone: progress.done,
    bold: (text) => paint(1, text),
    dim: (text) => paint(2, text),
  }
}

interface Progress {
  show(text: string, facts?: object): void
  done(): void
}

/** One JSON value per change, so that a program can follow. */
function createEvents(stderr: Sink): Progress {
  let last = ''
  return {
    show(text, facts = {}) {
      if (text === last) return
      last = text
      stderr.write(`${JSON.stringify({ event: 'progress', message: text, ...facts })}\n`)
    },
    done: () => {
      last = ''
    },
  }
}

function createProgress(stderr: Sink): Progress {
  let last = ''
  let open = false
  return {
    show(text) {
      if (text === last) return
      last = text
      // A line that wraps could not be taken back.
      if (stderr.isTTY) stderr.write(`\r\u001b[2K${text.slice(0, (stderr.columns ?? 80) - 1)}`)
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
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  paint: (cell: string, row: number) => string = (cell) => cell,
): string {
  const lines = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const render = (line: readonly string[], row: number) => {
    const last = line.findLastIndex((cell) => cell !== '')
    return line
      .slice(0, last + 1)
      .map(
        (cell, column) => paint(cell, row) + ' '.repeat(column === last ? 0 : (widths[column] ?? 0) + 3 - cell.length),
      )
      .join('')
  }
  return `${lines.map(render).join('\n')}\n`
}

const GREEN = 32
const YELLOW = 33
const RED = 31
const WORD_COLORS: Readonly<Record<string, number>> = {
  Bound: GREEN,
  Healthy: GREEN,
  Ready: GREEN,
  current: GREEN,
  Pending: YELLOW,
  Recycling: YELLOW,
  Creating: YELLOW,
  Backoff: YELLOW,
  drifted: YELLOW,
  Failing: RED,
  Failed: RED,
  Exhausted: RED,
  Quarantined: RED,
  Unhealthy: RED,
  Expired: RED,
}

/** States in the colour of their meaning, the header dim. Padding is outside of it, so columns stay aligned. */
function paintCell(cell: string, row: number): string {
  const code = row === 0 ? 2 : WORD_COLORS[cell.split(' ')[0] ?? '']
  return code === undefined ? cell : `\u001b[${code}m${cell}\u001b[0m`
}

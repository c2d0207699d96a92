/** How an operation that is followed is shown: drawn in place, told line by line, as one JSON value per event, or only at its end. */
import type { KobeError } from '../../client/errors.ts'
import type { OperationNote, OperationView } from '../../client/follow-operation.ts'
import type { CommandContext } from '../define-command.ts'
import { createChangeLog } from './describe-change.ts'
import { clockTime } from './elapsed.ts'
import { plainText } from './line.ts'
import { createNodePace, type ExpectedMs } from './node-pace.ts'
import type { TimedNote } from './operation-view.ts'
import { noteLine, renderOperation } from './render-operation.ts'
import { createScreen } from './screen.ts'

export interface Presenter {
  operation(operation: OperationView): void
  note(note: OperationNote): void
  /** Undefined: the connection is back. */
  trouble(error: KobeError | undefined): void
  /** Nothing more comes; `ended` with the operation when that is why. */
  done(ended: OperationView | undefined): Promise<void>
}

export interface Shown {
  /** The last line of the screen, while it is drawn. */
  readonly footer: string
  /** What the plan expects, where there is one. */
  readonly expectedMs?: ExpectedMs | undefined
}

export function createPresenter(context: CommandContext, shown: Shown): Presenter {
  const { format, terminal } = context
  if (format === 'json') return eventPresenter(context)
  if (format === 'yaml') return endPresenter(context)
  return terminal === undefined ? linePresenter(context, shown) : screenPresenter(context, terminal, shown)
}

const SECOND_MS = 1_000
/** More notes than any screen shows are not kept. */
const KEPT_NOTES = 20

function screenPresenter(
  { format }: CommandContext,
  terminal: NonNullable<CommandContext['terminal']>,
  { footer, expectedMs }: Shown,
): Presenter {
  const screen = createScreen(terminal)
  const pace = createNodePace(expectedMs)
  const notes: TimedNote[] = []
  let operation: OperationView | undefined
  let trouble: string | undefined
  const draw = (foot?: string): void => {
    if (operation === undefined) return
    const now = Date.now()
    const view = { operation: pace.estimated(operation, now), notes, trouble, footer: foot }
    screen.draw(renderOperation(view, now, screen))
  }
  // The times beside the nodes go on although nothing happens.
  const ticking = setInterval(() => draw(footer), SECOND_MS)
  return {
    operation(next) {
      operation = next
      pace.see(next, Date.now())
      draw(footer)
    },
    note(note) {
      if (note.level === 'Debug' && format !== 'wide') return
      notes.push({ ...note, at: Date.now() })
      if (notes.length > KEPT_NOTES) notes.shift()
      draw(footer)
    },
    trouble(error) {
      trouble = error === undefined ? undefined : troubleText(error)
      draw(footer)
    },
    async done(ended) {
      clearInterval(ticking)
      operation = ended ?? operation
      trouble = undefined
      draw()
      screen.keep()
    },
  }
}

const troubleText = ({ message, why }: KobeError): string =>
  `not connected: ${message}${why === undefined ? '' : ` (${why})`}; trying again`

function linePresenter({ output, format }: CommandContext, { expectedMs }: Shown): Presenter {
  const log = createChangeLog()
  const pace = createNodePace(expectedMs)
  let isTroubled = false
  const say = (text: string): void => output.line(`${clockTime(Date.now(), Date.now())}  ${text}`)
  const change = (operation: OperationView): void => {
    const now = Date.now()
    pace.see(operation, now)
    for (const line of log.push(pace.estimated(operation, now), now)) say(line)
  }
  return {
    operation: change,
    note(note) {
      // The steps of the nodes are told already; what is left is what a person has to know.
      if (note.level === 'Warning' || format === 'wide') say(plainText(noteLine(note, 0)))
    },
    trouble(error) {
      if (error !== undefined && !isTroubled) output.note(`kobe: ${troubleText(error)}`)
      if (error === undefined && isTroubled) output.note('kobe: connected again')
      isTroubled = error !== undefined
    },
    async done(ended) {
      if (ended !== undefined) change(ended)
    },
  }
}

function eventPresenter({ output }: CommandContext): Presenter {
  let last: OperationView | undefined
  return {
    operation(operation) {
      last = operation
      output.event({ event: 'operation', operation })
    },
    note: (note) => output.event({ event: 'note', note }),
    trouble(error) {
      if (error !== undefined) output.note(troubleText(error))
    },
    async done(ended) {
      output.event(ended === undefined ? { event: 'detached', operation: last } : { event: 'end', operation: ended })
    },
  }
}

function endPresenter({ output }: CommandContext): Presenter {
  return {
    operation: () => undefined,
    note: () => undefined,
    trouble(error) {
      if (error !== undefined) output.note(`kobe: ${troubleText(error)}`)
    },
    async done(ended) {
      if (ended !== undefined) await output.data(ended, 'yaml')
    },
  }
}

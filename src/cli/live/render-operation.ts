/** An operation as the lines of a screen: header, one line for each node in flight, what was said last, how to go on. */
import { clockTime, elapsed, since } from './elapsed.ts'
import { aligned, type Line, type Piece, piece, type Tone } from './line.ts'
import {
  type OperationNodeView,
  type OperationView,
  progressText,
  shownNodes,
  type TimedNote,
  waitText,
} from './operation-view.ts'

export interface ScreenView {
  readonly operation: OperationView
  /** Oldest first. */
  readonly notes: readonly TimedNote[]
  /** Why nothing is heard at the moment. */
  readonly trouble?: string | undefined
  /** The last line, such as what Ctrl-C does. */
  readonly footer?: string | undefined
}

export interface ScreenSize {
  readonly rows: number
  readonly columns: number
}

const MOST_NOTES = 5
const LEAST_NODES = 3

/** `now` in milliseconds. Never more than `rows` lines. */
export function renderOperation(view: ScreenView, now: number, { rows, columns }: ScreenSize): Line[] {
  const { operation, notes, trouble, footer } = view
  const nodes = shownNodes(operation)
  const head = header(view, now, columns)
  const foot: Line[] = [
    ...(trouble === undefined ? [] : [[piece(trouble, 'busy')]]),
    ...(footer === undefined ? [] : [[piece(footer, 'faint')]]),
  ]
  const room = rows - head.length - foot.length
  const nodeLines = Math.min(nodes.length === 0 ? 0 : nodes.length + 1, Math.max(LEAST_NODES, room))
  const recent = recentNotes(notes, now, Math.min(MOST_NOTES, room - nodeLines))
  return [...head, ...nodeTable(nodes, now, room - recent.length), ...recent, ...foot].slice(0, rows)
}

const PHASE_TONES: Readonly<Record<string, Tone>> = {
  Succeeded: 'good',
  Failed: 'bad',
  Cancelled: 'busy',
  Superseded: 'busy',
  Frozen: 'busy',
}

function header({ operation }: ScreenView, now: number, columns: number): Line[] {
  const { name, cluster, state, type, phase, ended, cancelRequested, message } = operation
  const asked = cancelRequested && !ended ? ', cancel requested' : ''
  const title: Line = [
    piece(cluster, 'strong'),
    // What it set for itself is over with it.
    piece(state === undefined || ended ? '  ' : `  ${state}  `, 'faint'),
    piece(`${type} ${name}  `),
    piece(`${phase}${asked}`, PHASE_TONES[phase] ?? 'plain'),
  ]
  const paused = message?.startsWith('paused') === true
  return [
    title,
    [
      ...bar(operation, columns),
      piece([progressText(operation), ...timeTexts(operation, now)].filter(Boolean).join(', ')),
    ],
    ...(message === undefined || message === '' ? [] : [[piece(message, paused ? 'busy' : 'faint')]]),
  ]
}

const BAR = 20
const ROOM_FOR_BAR = 70

function bar({ progress }: OperationView, columns: number): Piece[] {
  if (progress === undefined || progress.total === 0 || columns < ROOM_FOR_BAR) return []
  const { total, done, inFlight } = progress
  const full = Math.floor((done / total) * BAR)
  const moving = Math.min(BAR - full, Math.ceil((inFlight / total) * BAR))
  return [
    piece('['),
    piece('#'.repeat(full), 'good'),
    piece('+'.repeat(moving), 'busy'),
    piece('.'.repeat(BAR - full - moving), 'faint'),
    piece('] '),
  ]
}

function timeTexts({ ended, startedAt, endedAt, eta }: OperationView, now: number): string[] {
  const running = since(startedAt, now)
  if (running === undefined) return []
  if (ended) return [`took ${since(startedAt, Date.parse(endedAt ?? '') || now)}`]
  const left = leftText(eta, now)
  return [`${running} so far`, ...(left === undefined ? [] : [`${left} (${clockTime(eta ?? '', now)})`])]
}

/** `about 2m left`; undefined where nothing is known, or the estimate is used up. */
export function leftText(eta: string | undefined, now: number): string | undefined {
  const left = Date.parse(eta ?? '') - now
  return left >= 1_000 ? `about ${elapsed(left)} left` : undefined
}

const STEP_TONES: Readonly<Record<string, Tone>> = { Failed: 'bad', Skipped: 'busy', Restoring: 'busy' }

function nodeTable(nodes: readonly OperationNodeView[], now: number, room: number): Line[] {
  if (nodes.length === 0 || room < 2) return []
  const shown = nodes.length + 1 <= room ? nodes : nodes.slice(0, room - 2)
  const rest = nodes.slice(shown.length)
  const titles = ['NODE', 'GROUP', 'STEP', 'FOR', 'LEFT', 'WAITS FOR'].map((text) => piece(text, 'faint'))
  const lines = aligned([titles, ...shown.map((node) => nodeRow(node, now))], '  ')
  return rest.length === 0 ? lines : [...lines, [piece(`  and ${rest.length} more: ${stepCounts(rest)}`, 'faint')]]
}

const nodeRow = (node: OperationNodeView, now: number): Piece[] => [
  piece(node.name, 'strong'),
  piece(node.group),
  piece(node.step, STEP_TONES[node.step] ?? 'plain'),
  piece(since(node.since, now) ?? ''),
  piece(node.estimateMs === undefined ? '' : `~${elapsed(node.estimateMs)}`),
  piece(waitText(node)),
]

/** `12 Draining, 3 Starting`. */
export function stepCounts(nodes: readonly Pick<OperationNodeView, 'step'>[]): string {
  const counts = new Map<string, number>()
  for (const { step } of nodes) counts.set(step, (counts.get(step) ?? 0) + 1)
  return [...counts].map(([step, count]) => `${count} ${step}`).join(', ')
}

function recentNotes(notes: readonly TimedNote[], now: number, room: number): Line[] {
  return room <= 0 ? [] : notes.slice(-room).map((note) => noteLine(note, now))
}

export function noteLine({ at, reason, message, level }: TimedNote, now: number): Line {
  return [
    ...(at === undefined ? [] : [piece(`${clockTime(at, now)}  `, 'faint')]),
    piece(`${reason}  `, level === 'Warning' ? 'busy' : 'faint'),
    piece(message),
  ]
}

/** An operation as the lines of a screen: header, one line for each node in flight, what was said last, how to go on. */
import { clockTime, elapsed, since } from './elapsed.ts'
import { aligned, type Line, type Piece, piece, type Tone } from './line.ts'
import { hasEnded, type NoteView, type OperationNodeView, type OperationView, progressText } from './operation-view.ts'

export interface ScreenView {
  readonly operation: OperationView
  /** State of the cluster, where it is known. */
  readonly clusterState?: string | undefined
  /** Oldest first. */
  readonly notes: readonly NoteView[]
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
  const head = header(view, now, columns)
  const foot: Line[] = [
    ...(trouble === undefined ? [] : [[piece(trouble, 'busy')]]),
    ...(footer === undefined ? [] : [[piece(footer, 'faint')]]),
  ]
  const room = rows - head.length - foot.length
  const nodeLines = Math.min(operation.nodes.length === 0 ? 0 : operation.nodes.length + 1, Math.max(LEAST_NODES, room))
  const recent = recentNotes(notes, now, Math.min(MOST_NOTES, room - nodeLines))
  return [...head, ...nodeTable(operation.nodes, now, room - recent.length), ...recent, ...foot].slice(0, rows)
}

const PHASE_TONES: Readonly<Record<string, Tone>> = {
  Succeeded: 'good',
  Failed: 'bad',
  Cancelled: 'busy',
  Superseded: 'busy',
  Frozen: 'busy',
}

function header({ operation, clusterState }: ScreenView, now: number, columns: number): Line[] {
  const { name, cluster, type, phase, cancelRequested, message } = operation
  const asked = cancelRequested === true && !hasEnded(operation) ? ', cancel requested' : ''
  const title: Line = [
    piece(cluster, 'strong'),
    piece(clusterState === undefined ? '  ' : `  ${clusterState}  `, 'faint'),
    piece(`${type} ${name}  `),
    piece(`${phase}${asked}`, PHASE_TONES[phase] ?? 'plain'),
  ]
  const paused = message?.startsWith('paused') === true
  return [
    title,
    [...bar(operation, columns), piece(progressText(operation)), piece(timesText(operation, now), 'faint')],
    ...(message === undefined || message === '' ? [] : [[piece(message, paused ? 'busy' : 'faint')]]),
  ]
}

const BAR = 20
const ROOM_FOR_BAR = 70

function bar({ progress: { total, done, inFlight = 0 } }: OperationView, columns: number): Piece[] {
  if (total === 0 || columns < ROOM_FOR_BAR) return []
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

function timesText(operation: OperationView, now: number): string {
  const { startedAt, endedAt, etaMs } = operation
  if (hasEnded(operation)) {
    const took = Date.parse(endedAt ?? '') - Date.parse(startedAt ?? '')
    return Number.isNaN(took) ? '' : `, took ${elapsed(took)}`
  }
  const running = since(startedAt, now)
  const left = etaMs === undefined ? '' : `, about ${elapsed(etaMs)} left (${clockTime(now + etaMs, now)})`
  return `${running === undefined ? '' : `, ${running} so far`}${left}`
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

const nodeRow = (
  { name, group = '', step, since: from, estimateMs, waitingFor = '' }: OperationNodeView,
  now: number,
) => [
  piece(name, 'strong'),
  piece(group),
  piece(step, STEP_TONES[step] ?? 'plain'),
  piece(since(from, now) ?? ''),
  piece(estimateMs === undefined ? '' : `~${elapsed(estimateMs)}`),
  piece(waitingFor),
]

/** `12 Draining, 3 Starting`. */
export function stepCounts(nodes: readonly Pick<OperationNodeView, 'step'>[]): string {
  const counts = new Map<string, number>()
  for (const { step } of nodes) counts.set(step, (counts.get(step) ?? 0) + 1)
  return [...counts].map(([step, count]) => `${count} ${step}`).join(', ')
}

function recentNotes(notes: readonly NoteView[], now: number, room: number): Line[] {
  return room <= 0 ? [] : notes.slice(-room).map((note) => noteLine(note, now))
}

export function noteLine({ at, reason, message, level }: NoteView, now: number): Line {
  return [
    ...(at === undefined ? [] : [piece(`${clockTime(at, now)}  `, 'faint')]),
    piece(`${reason}  `, level === 'Warning' ? 'busy' : 'faint'),
    piece(message),
  ]
}

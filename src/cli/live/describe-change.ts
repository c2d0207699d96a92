/** An operation as lines that follow each other, for a log: what changed since the last look, and nothing twice. */
import { elapsed } from './elapsed.ts'
import { type OperationNodeView, type OperationView, progressText, shownNodes, waitText } from './operation-view.ts'
import { leftText } from './render-operation.ts'

/** What was said last of a node. */
interface Told {
  readonly step: string
  readonly waitingFor: string
  readonly at: number
}

export interface ChangeLog {
  /** The operation after a change; `now` in milliseconds. Answers the lines to say. */
  push(operation: OperationView, now: number): readonly string[]
}

/** A node that waits changes what it says with each attempt: it is repeated this seldom. */
const REPEAT_MS = 15_000

export function createChangeLog(): ChangeLog {
  const told = new Map<string, Told>()
  let last: OperationView | undefined
  return {
    push(operation, now) {
      const lines = [
        ...phaseLines(last, operation, now),
        ...doneLines(told, operation),
        ...shownNodes(operation).flatMap((node) => nodeLines(told, node, now)),
      ]
      last = operation
      return lines
    },
  }
}

function phaseLines(before: OperationView | undefined, after: OperationView, now: number): string[] {
  const { cluster, type, name, phase, message = '', cancelRequested } = after
  const lines: string[] = []
  const far = [progressText(after), after.ended ? undefined : leftText(after.eta, now)]
  const progress = far.filter(Boolean).join(', ')
  if (before?.phase !== phase)
    lines.push([`${cluster}: ${type} ${name} is ${phase}`, progress].filter(Boolean).join(', '))
  else if (before.progress?.done !== after.progress?.done && progress !== '') lines.push(`${cluster}: ${progress}`)
  if (message.startsWith('paused') && before?.message?.startsWith('paused') !== true)
    lines.push(`${cluster}: ${message}`)
  if (cancelRequested && before?.cancelRequested === false)
    lines.push(`${cluster}: cancel requested: it ends after the nodes in flight`)
  return lines
}

function nodeLines(told: Map<string, Told>, node: OperationNodeView, now: number): string[] {
  const { name, step, estimateMs } = node
  const waitingFor = waitText(node)
  const before = told.get(name)
  const isNews = before?.step !== step
  const isDue = before !== undefined && waitingFor !== before.waitingFor && now - before.at >= REPEAT_MS
  if (!(isNews || isDue)) return []
  told.set(name, { step, waitingFor, at: now })
  const estimate = estimateMs === undefined ? '' : `, about ${elapsed(estimateMs)}`
  return [`${name}: ${step}${waitingFor === '' ? '' : `, waits for: ${waitingFor}`}${estimate}`]
}

/** A node that is no longer shown is through: those that failed or were skipped stay in the list. */
function doneLines(told: Map<string, Told>, operation: OperationView): string[] {
  const shown = new Set(shownNodes(operation).map(({ name }) => name))
  const gone = [...told].filter(([name, { step }]) => !shown.has(name) && step !== 'Failed' && step !== 'Skipped')
  for (const [name] of gone) told.delete(name)
  return operation.phase === 'Failed' ? [] : gone.map(([name]) => `${name}: done`)
}

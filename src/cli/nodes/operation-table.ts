/** Operations over nodes, a row each. */
import type { CommandContext } from '../define-command.ts'
import { elapsed, since } from '../live/elapsed.ts'
import { painted, plainText } from '../live/line.ts'
import { leftText, renderOperation } from '../live/render-operation.ts'
import type { OperationAnswer } from './find-operation.ts'

/** A terminal wraps what does not fit; nothing is drawn again here. */
const SIZE = { rows: Number.POSITIVE_INFINITY, columns: 120 }

/** One of them as it is now, node by node. */
export function printOperation({ output, terminal }: CommandContext, operation: OperationAnswer): void {
  for (const line of renderOperation({ operation, notes: [] }, Date.now(), SIZE)) {
    output.line(terminal === undefined ? plainText(line) : painted(line))
  }
}

const HEADER = ['OPERATION', 'CLUSTER', 'TYPE', 'PHASE', 'DONE', 'STARTED', 'TOOK']
const WIDE_HEADER = [...HEADER, 'BY', 'MESSAGE']

export function printOperations({ output, format }: CommandContext, operations: readonly OperationAnswer[]): void {
  const wide = format === 'wide'
  const now = Date.now()
  const rows = operations.map((operation) => [
    ...operationRow(operation, now),
    ...(wide ? [operation.requestedBy ?? '-', operation.message ?? '-'] : []),
  ])
  output.table(wide ? WIDE_HEADER : HEADER, rows)
}

function operationRow(operation: OperationAnswer, now: number): string[] {
  const { name, cluster, type, phase, progress, startedAt } = operation
  const begun = since(startedAt, now)
  const done = progress === undefined ? '-' : `${progress.done}/${progress.total}`
  return [name, cluster, type, phase, done, begun === undefined ? '-' : `${begun} ago`, tookText(operation, now)]
}

function tookText({ startedAt = '', endedAt = '', eta, ended }: OperationAnswer, now: number): string {
  if (!ended) return leftText(eta, now) ?? '-'
  const took = Date.parse(endedAt) - Date.parse(startedAt)
  return Number.isNaN(took) ? '-' : elapsed(took)
}

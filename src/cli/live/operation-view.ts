/** What the live view needs to know of an operation. */
import type { Answer } from '../../client/api.ts'

type Operation = Answer<'getOperation'>

export type OperationNodeView = Operation['nodes'][number]
export type OperationView = Pick<Operation, 'name' | 'cluster' | 'type' | 'phase' | 'ended' | 'cancelRequested'> & {
  readonly nodes: readonly OperationNodeView[]
} & Partial<Pick<Operation, 'state' | 'message' | 'startedAt' | 'endedAt' | 'progress' | 'eta' | 'lastError'>>

/** A note, and when it was heard of (milliseconds). */
export type TimedNote = Answer<'planRollout'>['notes'][number] & { readonly at?: number }

const STAYS: ReadonlySet<string> = new Set(['Failed', 'Skipped'])

/** A run that ended well keeps its last batch in its status; only what was not done is worth a line then. */
export function shownNodes({ phase, nodes }: Pick<OperationView, 'phase' | 'nodes'>): readonly OperationNodeView[] {
  return phase === 'Succeeded' || phase === 'Cancelled' ? nodes.filter(({ step }) => STAYS.has(step)) : nodes
}

/** What a node waits for, beside its name: without it. */
export function waitText({ name, waitingFor = '' }: OperationNodeView): string {
  const prefix = `node ${name}: `
  return waitingFor.startsWith(prefix) ? waitingFor.slice(prefix.length) : waitingFor
}

/** `3/8 done, 2 in flight, 1 failed`; empty while nothing is known of any node. */
export function progressText({ progress }: Pick<OperationView, 'progress'>): string {
  if (progress === undefined || progress.total === 0) return ''
  const { total, done, inFlight, failed, skipped } = progress
  const more = [
    [inFlight, 'in flight'],
    [failed, 'failed'],
    [skipped, 'left out'],
  ] as const
  const counts = more.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))
  return [`${done}/${total} done`, ...counts].join(', ')
}

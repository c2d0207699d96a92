/** What the live view needs to know of an operation. */
import type { Answer } from '../../client/api.ts'

type Operation = Answer<'getOperation'>

export type OperationNodeView = Operation['nodes'][number]
export type OperationView = Pick<Operation, 'name' | 'cluster' | 'type' | 'phase' | 'ended' | 'cancelRequested'> & {
  readonly nodes: readonly OperationNodeView[]
} & Partial<Pick<Operation, 'state' | 'message' | 'startedAt' | 'endedAt' | 'progress' | 'eta' | 'lastError'>>

/** A note, and when it was heard of (milliseconds). */
export type TimedNote = Answer<'planRollout'>['notes'][number] & { readonly at?: number }

/** `3/8 done, 2 in flight, 1 failed`; empty before it has taken its cluster. */
export function progressText({ progress }: Pick<OperationView, 'progress'>): string {
  if (progress === undefined) return ''
  const { total, done, inFlight, failed, skipped } = progress
  const more = [
    [inFlight, 'in flight'],
    [failed, 'failed'],
    [skipped, 'left out'],
  ] as const
  const counts = more.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))
  return [`${done}/${total} done`, ...counts].join(', ')
}

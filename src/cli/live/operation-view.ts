/** What the live view needs to know of an operation; the answers of the API have all of it. */
export interface OperationNodeView {
  readonly name: string
  readonly group?: string
  readonly step: string
  /** When it came to this step (RFC 3339). */
  readonly since: string
  readonly waitingFor?: string
  /** How long the step may still take, milliseconds. */
  readonly estimateMs?: number
}

export interface OperationView {
  readonly name: string
  readonly cluster: string
  readonly type: string
  readonly phase: string
  readonly message?: string
  readonly startedAt?: string
  readonly endedAt?: string
  readonly progress: {
    readonly total: number
    readonly done: number
    readonly inFlight?: number
    readonly failed?: number
    readonly skipped?: number
  }
  readonly nodes: readonly OperationNodeView[]
  /** How long it may still take, milliseconds. */
  readonly etaMs?: number
  readonly lastError?: string
  readonly cancelRequested?: boolean
}

export interface NoteView {
  readonly reason: string
  readonly message: string
  readonly level: string
  readonly about?: string
  /** When it was said (RFC 3339). */
  readonly at?: string
}

const ENDS: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'Cancelled', 'Superseded'])

export const hasEnded = ({ phase }: Pick<OperationView, 'phase'>): boolean => ENDS.has(phase)

/** `3/8 done, 2 in flight, 1 failed`. */
export function progressText({ progress }: Pick<OperationView, 'progress'>): string {
  const { total, done, inFlight = 0, failed = 0, skipped = 0 } = progress
  const more = [
    [inFlight, 'in flight'],
    [failed, 'failed'],
    [skipped, 'left out'],
  ] as const
  return [`${done}/${total} done`, ...more.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []))].join(
    ', ',
  )
}

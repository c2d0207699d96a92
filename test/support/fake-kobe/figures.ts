/** What the programs of a fake-backed Kobe and their user agree on. */
export const NAMESPACE = 'kobe-system'

/** Since they were asked for before. */
export interface OperatorFigures {
  /** Requests by verb and kind, such as `patch ClusterLease/status`. */
  readonly written: Readonly<Record<string, number>>
  readonly read: Readonly<Record<string, number>>
  /** How much later than due the event loop turned. Milliseconds. */
  readonly loopDelayMs: { readonly p50: number; readonly p99: number; readonly max: number }
  /** Since the start of the process. */
  readonly cpuMs: number
}

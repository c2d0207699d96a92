/**
 * The shape of every decision: `planX(observed, now) -> Plan`.
 * A plan says what to do, why, and also why something was *not* done.
 */

/** One reason, with numbers in its sentence. Notes become log lines, Events, conditions and `kobe explain` output. */
export interface Note {
  /** Stable CamelCase code, an exported constant of `api/v1alpha1/reasons.ts`. */
  readonly reason: string
  /** A sentence for a person, with the numbers in it. */
  readonly message: string
  /** `Warning` becomes a Warning Event; `Info` a Normal one; `Debug` is for the log at debug level only. */
  readonly level: 'Info' | 'Warning' | 'Debug'
  /** The object the note is about, when it is not the planned object itself. */
  readonly about?: { readonly kind: string; readonly name: string; readonly uid?: string }
}

export interface Plan<Action, Status> {
  readonly actions: readonly Action[]
  readonly notes: readonly Note[]
  /** The status the object should have; written only when it differs from what is observed. */
  readonly status: Status
  /** When to look again without an event; absent when only an event can change anything. Milliseconds. */
  readonly requeueAfterMs?: number
}

/** Closes a switch over a union: a new member that is not handled is a type error. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}

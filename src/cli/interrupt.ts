/** Signals that end a command, and the exit codes that say so. */
import { EXIT, type ExitCode } from './user-error.ts'

export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type EndingSignal = (typeof ENDING_SIGNALS)[number]

const EXIT_CODES: Readonly<Record<EndingSignal, ExitCode>> = {
  SIGINT: EXIT.interrupted,
  SIGTERM: EXIT.terminated,
  SIGHUP: EXIT.hangup,
}

/** The reason of the abort that a signal causes. */
export class Interrupt extends Error {
  override readonly name = 'Interrupt'
  readonly signalName: EndingSignal

  constructor(signalName: EndingSignal) {
    super(`interrupted by ${signalName}`)
    this.signalName = signalName
  }
}

/** An abort without a signal of the system counts as Ctrl-C. */
export function interruptCode(signal: AbortSignal): ExitCode {
  return signal.reason instanceof Interrupt ? EXIT_CODES[signal.reason.signalName] : EXIT.interrupted
}

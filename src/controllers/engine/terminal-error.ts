/** A failure that trying again cannot mend: the object has to change first. It is reported and not retried. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError'
  readonly code = 'Terminal'
}

export function isTerminalError(error: unknown): error is TerminalError {
  return error instanceof TerminalError
}

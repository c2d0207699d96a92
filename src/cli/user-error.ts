/** Errors a user can act on. Anything else that reaches the top is a defect and shows its stack. */

/** Exit codes of the CLI; docs/reference/cli.md lists them. */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  auth: 3,
  notFound: 4,
  timeout: 5,
  unavailable: 6,
  quota: 7,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export interface UserErrorOptions {
  /** Why it happened, when that is not plain from the message. */
  readonly why?: string
  /** What to do about it. */
  readonly fix?: string
  readonly exitCode?: ExitCode
  readonly cause?: unknown
}

export class UserError extends Error {
  override readonly name = 'UserError'
  readonly why: string | undefined
  readonly fix: string | undefined
  readonly exitCode: ExitCode

  constructor(message: string, options: UserErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.why = options.why
    this.fix = options.fix
    this.exitCode = options.exitCode ?? EXIT.failure
  }
}

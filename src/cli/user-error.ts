/** Errors a user can act on. Anything else that reaches the top is a defect and shows its stack. */
import type { KobeError } from '../client/errors.ts'

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
  stalled: 8,
  operationFailed: 9,
  operationCancelled: 10,
  refused: 11,
  /** Of `kobe with-lease` only: codes below belong to the command that it runs. */
  withLease: 125,
  hangup: 129,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What each exit code means, for the reference. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'failed for a reason that has no code of its own',
  2: 'the command line or a configuration file cannot be used: unknown command, missing argument, bad value, unknown target',
  3: 'not authenticated, or not allowed',
  4: 'no such pool, lease, cluster or operation',
  5: 'waited for as long as asked',
  6: 'Kobe cannot be reached or cannot serve right now, or the lease ended before it was ready',
  7: 'your quota of leases is used up',
  8: 'what is waited for is stalled: it needs a person',
  9: 'the operation on the nodes ended with a failure; what it did to nodes that are through stays',
  10: 'the operation on the nodes was cancelled, or another one took its place',
  11: 'refused, and nothing was changed: another operation holds the cluster (it is named), its state has no way there, or the settings are not possible',
  125: '`kobe with-lease` itself failed; every other code is that of its command (126: cannot be run, 127: not found, 128 + n: ended by signal n)',
  129: 'ended by a hangup (SIGHUP)',
  130: 'interrupted (SIGINT, Ctrl-C)',
  143: 'terminated (SIGTERM)',
}

export interface UserErrorOptions {
  /** Why it happened, when that is not plain from the message. */
  readonly why?: string | undefined
  /** What to do about it. */
  readonly fix?: string | undefined
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

const CODE_EXITS: Readonly<Record<Exclude<KobeError['code'], 'refused'>, ExitCode>> = {
  config: EXIT.usage,
  file: EXIT.failure,
  unreachable: EXIT.unavailable,
  timeout: EXIT.timeout,
  ended: EXIT.unavailable,
  stalled: EXIT.stalled,
}

/** The error of the client in the words of the command line: exit code, and the next command to type. */
export function userErrorOf(error: KobeError): UserError {
  const { exitCode, fix } = error.code === 'refused' ? meaningOf(error) : { exitCode: CODE_EXITS[error.code] }
  return new UserError(error.message, { why: error.why, fix: error.fix ?? fix, exitCode, cause: error })
}

interface Meaning {
  readonly exitCode: ExitCode
  readonly fix?: string
}

const BY_REASON: Readonly<Record<string, Meaning>> = {
  quota_exhausted: {
    exitCode: EXIT.quota,
    fix: 'release a lease you no longer need: `kobe list`, then `kobe release <id>`',
  },
  alias_in_use: {
    exitCode: EXIT.failure,
    fix: 'release that lease, choose another --name, or take it over with --ensure',
  },
  cleanup_mode_unsupported: {
    exitCode: EXIT.failure,
    fix: 'leave --verified out, or lease from a pool whose backend can prove the end of its clusters',
  },
  extension_budget_exhausted: {
    exitCode: EXIT.failure,
    fix: 'lease another cluster before this one ends, or ask for a higher maxExtensions',
  },
  diagnostics_not_found: {
    exitCode: EXIT.notFound,
    fix: 'they are made when the lease ends, if it was made with --diagnostics or its pool asks for them',
  },
  route_not_found: {
    exitCode: EXIT.unavailable,
    fix: 'the operator behind this endpoint is older than this command: `kobe version` shows both; update the operator',
  },
  cluster_not_found: { exitCode: EXIT.notFound, fix: '`kobe cluster list` shows the clusters that you may see' },
  operation_not_found: { exitCode: EXIT.notFound, fix: '`kobe node status` shows the operations that are kept' },
  cluster_busy: {
    exitCode: EXIT.refused,
    fix: '`kobe node status <cluster> --follow` watches what holds it, `kobe node cancel <cluster>` ends that',
  },
  cluster_state_refused: {
    exitCode: EXIT.refused,
    fix: '`kobe cluster show <cluster>` shows its state; a stopped one is started with `kobe cluster start <cluster>`',
  },
  operation_unsupported: {
    exitCode: EXIT.refused,
    fix: 'the provider of the cluster, or the operator, cannot do that; `kobe cluster show <cluster>` names the provider',
  },
  cluster_exists: {
    exitCode: EXIT.refused,
    fix: '`kobe cluster show <cluster>` shows it; choose another name, or change it with kubectl',
  },
  invalid_kubeconfig: {
    exitCode: EXIT.refused,
    fix: '`kubectl config view --flatten --minify --raw` writes one that holds everything itself',
  },
  settings_refused: {
    exitCode: EXIT.refused,
    fix: '`kobe cluster show <cluster>` shows the groups and their settings; ask for others',
  },
  cluster_forbidden: {
    exitCode: EXIT.auth,
    fix: 'ask for an AccessPolicy with a rule that grants it: `clusters: [{names: [...], verbs: [...]}]`',
  },
}

const BY_STATUS: Readonly<Record<number, Meaning>> = {
  401: { exitCode: EXIT.auth },
  403: { exitCode: EXIT.auth, fix: 'ask for an AccessPolicy that allows it' },
  404: { exitCode: EXIT.notFound, fix: '`kobe pools` and `kobe list` show what there is' },
  429: { exitCode: EXIT.unavailable, fix: 'try again in a moment' },
}

function meaningOf({ status = 0, reason = '' }: KobeError): Meaning {
  const known = BY_REASON[reason] ?? BY_STATUS[status]
  if (known !== undefined) return known
  return status >= 500
    ? { exitCode: EXIT.unavailable, fix: '`kobe status` and the operator log say more' }
    : { exitCode: EXIT.failure }
}

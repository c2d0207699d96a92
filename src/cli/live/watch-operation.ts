/** Follows an operation on the screen until it ends. Whoever stops watching does not stop it. */
import type { KobeApi } from '../../client/api.ts'
import { KobeError } from '../../client/errors.ts'
import { followOperation, type OperationView } from '../../client/follow-operation.ts'
import type { CommandContext } from '../define-command.ts'
import { interruptCode } from '../interrupt.ts'
import { EXIT, type ExitCode, UserError } from '../user-error.ts'
import type { ExpectedMs } from './node-pace.ts'
import { createPresenter } from './presenter.ts'

export interface Watched {
  readonly operation: Pick<OperationView, 'name' | 'cluster' | 'type'>
  readonly timeoutMs: number | undefined
  /** What the plan expects of a batch, by group. */
  readonly expectedMs?: ExpectedMs | undefined
  /** A cancelled operation is what was asked for. */
  readonly isCancelWanted?: boolean
}

/** The exit code. Throws `UserError` for an end that is no success, `KobeError` `timeout`, or what the API says. */
export async function watchOperation(
  context: CommandContext,
  api: KobeApi,
  { operation, timeoutMs, expectedMs, isCancelWanted = false }: Watched,
): Promise<ExitCode> {
  const { signal, output } = context
  const footer = `Ctrl-C stops watching, not the ${operation.type}.`
  const presenter = createPresenter(context, { footer, expectedMs })
  let ended: OperationView | undefined
  try {
    ended = await followOperation(api, operation.name, {
      signal,
      timeoutMs,
      onOperation: presenter.operation,
      onNote: presenter.note,
      onTrouble: presenter.trouble,
    })
  } catch (error) {
    if (!signal.aborted) throw withWayOn(error, operation)
  } finally {
    await presenter.done(ended)
  }
  if (ended !== undefined) return isCancelWanted && ended.phase === 'Cancelled' ? EXIT.ok : judged(ended)
  output.note(`stopped watching; ${goesOn(operation)}`)
  return interruptCode(signal)
}

/** How to watch it again, and how to end it. */
export const goesOn = ({ cluster, name }: Watched['operation']): string =>
  `${name} goes on: \`kobe node status ${cluster} --follow\` watches it, \`kobe node cancel ${cluster}\` ends it`

function withWayOn(error: unknown, operation: Watched['operation']): unknown {
  if (!(error instanceof KobeError) || !['timeout', 'unreachable'].includes(error.code)) return error
  return new KobeError(error.code, error.message, { why: error.why, fix: goesOn(operation), cause: error })
}

function judged({ phase, type, name, cluster, lastError, message }: OperationView): ExitCode {
  if (phase === 'Succeeded') return EXIT.ok
  const again = `\`kobe node rollout ${cluster}\` takes up what is left`
  if (phase === 'Failed') {
    throw new UserError(`${type} ${name} of ${cluster} failed`, {
      why: lastError ?? message,
      fix: `\`kobe node explain ${name}\` and docs/guides/runbook-rollout-stopped.md say more; then ${again}`,
      exitCode: EXIT.operationFailed,
    })
  }
  throw new UserError(`${type} ${name} of ${cluster} is ${phase}`, {
    why: message,
    fix: type === 'Rollout' ? again : undefined,
    exitCode: EXIT.operationCancelled,
  })
}

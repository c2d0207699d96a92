/** Asks for an operation, then follows it or says how. */
import { randomUUID } from 'node:crypto'
import type { Input, KobeApi } from '../../client/api.ts'
import { retryRequest } from '../../client/retry-request.ts'
import type { CommandContext, CommandInput, OptionDefinition } from '../define-command.ts'
import { durationOption } from '../duration-option.ts'
import type { ExpectedMs } from '../live/node-pace.ts'
import { goesOn, watchOperation } from '../live/watch-operation.ts'
import { EXIT, type ExitCode, UserError } from '../user-error.ts'
import { aboutCluster } from './about-cluster.ts'
import type { OperationAnswer } from './find-operation.ts'

export type OperationRequest = Omit<Input<'createOperation'>['body'], 'idempotencyKey'>

export const FOLLOW_OPTIONS: readonly OptionDefinition[] = [
  { flags: '--no-wait', description: 'do not follow it; `kobe node status <cluster> --follow` does that later' },
  {
    flags: '--timeout <duration>',
    description: 'stop watching after this long; the operation goes on (default: never)',
  },
]

export interface Following {
  readonly wait: boolean
  readonly timeoutMs: number | undefined
  /** What the plan expects of a batch, by group. */
  readonly expectedMs?: ExpectedMs | undefined
}

export function followingOf(input: CommandInput): Following {
  const wait = input.options['wait'] !== false
  const timeoutMs = durationOption(input, 'timeout')
  if (wait || timeoutMs === undefined) return { wait, timeoutMs }
  throw new UserError('--timeout cannot go with --no-wait', { fix: 'leave one of them out', exitCode: EXIT.usage })
}

export async function beginAndFollow(
  context: CommandContext,
  request: OperationRequest,
  { wait, timeoutMs, expectedMs }: Following,
): Promise<ExitCode> {
  const api = await context.api()
  const operation = await aboutCluster(request.cluster, begin(context, api, request))
  if (wait) return await watchOperation(context, api, { operation, timeoutMs, expectedMs })
  await show(context, operation)
  return EXIT.ok
}

/** The key makes an answer that was lost no second operation. */
async function begin(
  { signal, output }: CommandContext,
  api: KobeApi,
  request: OperationRequest,
): Promise<OperationAnswer> {
  const body = { ...request, idempotencyKey: randomUUID() }
  try {
    return await retryRequest((within) => api.call('createOperation', { body }, { signal: within }), {
      signal,
      onRetry: (error, ms) => output.progress(`${error.message}; asking again in ${(ms / 1000).toFixed(1)} s`),
    })
  } catch (error) {
    if (signal.aborted) output.note(`it may have been asked for already: \`kobe node status ${request.cluster}\` tells`)
    throw error
  } finally {
    output.progressDone()
  }
}

async function show({ output, format }: CommandContext, operation: OperationAnswer): Promise<void> {
  if (format === 'json') output.event({ event: 'operation', operation })
  else if (format === 'yaml') await output.data(operation, 'yaml')
  else output.line(`${operation.type} ${operation.name} of ${operation.cluster} is asked for; ${goesOn(operation)}`)
}

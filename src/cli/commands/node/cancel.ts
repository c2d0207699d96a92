import type { KobeApi } from '../../../client/api.ts'
import { KobeError } from '../../../client/errors.ts'
import { defineCommand } from '../../define-command.ts'
import { durationOption } from '../../duration-option.ts'
import { watchOperation } from '../../live/watch-operation.ts'
import { OPERATION_ARGUMENT } from '../../nodes/cluster-argument.ts'
import { findOperation, type OperationAnswer } from '../../nodes/find-operation.ts'
import { EXIT } from '../../user-error.ts'

export const cancelCommand = defineCommand({
  details: [
    'The nodes that are being worked on are finished first; what is left is left, and another rollout takes it up. With --wait it',
    'is followed to that end; the code is 0 then, unless it fails (9).',
  ].join('\n'),
  examples: [
    ['kobe node cancel prod-1', 'what goes on in this cluster'],
    ['kobe node cancel prod-1 --wait', 'and stay until it has let go of the cluster'],
  ],
  args: [OPERATION_ARGUMENT],
  options: [
    { flags: '--wait', description: 'follow it until it has ended' },
    { flags: '--timeout <duration>', description: 'stop watching after this long (default: never)' },
  ],
  async run(context, input) {
    const { output, format, signal } = context
    const timeoutMs = durationOption(input, 'timeout')
    const api = await context.api()
    const { name } = await findOperation(input.args[0] ?? '', { api, signal, orLast: false })
    const operation = await cancel(api, name, signal)
    if (input.options['wait'] === true)
      return await watchOperation(context, api, { operation, timeoutMs, isCancelWanted: true })
    if (format === 'json' || format === 'yaml') await output.data(operation, format)
    else output.line(cancelText(operation))
    return EXIT.ok
  },
})

/** One that has ended meanwhile needs no cancel any more. */
async function cancel(api: KobeApi, name: string, signal: AbortSignal): Promise<OperationAnswer> {
  const input = { params: { name } }
  try {
    return await api.call('cancelOperation', input, { signal })
  } catch (error) {
    if (!(error instanceof KobeError) || error.reason !== 'operation_ended') throw error
    return await api.call('getOperation', input, { signal })
  }
}

const cancelText = ({ type, name, cluster, phase, ended }: OperationAnswer): string =>
  ended
    ? `${type} ${name} of ${cluster} has ended already: ${phase}`
    : `${type} ${name} of ${cluster} ends after the nodes in flight; \`kobe node status ${cluster} --follow\` watches it`

import type { KobeApi } from '../../../client/api.ts'
import { type CommandContext, defineCommand } from '../../define-command.ts'
import { durationOption } from '../../duration-option.ts'
import { watchOperation } from '../../live/watch-operation.ts'
import { findOperation, type OperationAnswer } from '../../nodes/find-operation.ts'
import { printOperation, printOperations } from '../../nodes/operation-table.ts'
import { EXIT, UserError } from '../../user-error.ts'

export const nodeStatusCommand = defineCommand({
  details: [
    'Of a cluster: the operation that holds it, node by node, or the last one, and those before it. Without one: the operations of',
    'all clusters, those that go on first. With --follow as `kobe node rollout` does, and with its exit codes.',
  ].join('\n'),
  examples: [
    ['kobe node status', 'all that goes on'],
    ['kobe node status prod-1', 'in this cluster, node by node'],
    ['kobe node status prod-1 --follow', 'until it ends'],
  ],
  args: [
    {
      name: 'operation-or-cluster',
      description: 'name of the cluster, or of one of its operations (default: all clusters)',
      required: false,
      complete: 'operation',
    },
  ],
  options: [
    { flags: '-f, --follow', description: 'follow the operation until it ends' },
    { flags: '--timeout <duration>', description: 'stop watching after this long; the operation goes on' },
  ],
  async run(context, input) {
    const [name] = input.args
    const timeoutMs = durationOption(input, 'timeout')
    const isFollowed = input.options['follow'] === true
    const api = await context.api()
    if (name === undefined) {
      if (isFollowed) throw new UserError('follow what?', { fix: 'name a cluster', exitCode: EXIT.usage })
      return await showAll(context, api)
    }
    const operation = await findOperation(name, { api, signal: context.signal, orLast: true })
    if (isFollowed) return await watchOperation(context, api, { operation, timeoutMs })
    return await showOne(context, api, operation)
  },
})

const SHOWN = '50'

async function showAll(context: CommandContext, api: KobeApi): Promise<number> {
  const { output, format, signal } = context
  const answer = await api.call('listOperations', { query: { limit: SHOWN } }, { signal })
  const operations = [...answer.operations].sort((one, other) => Number(one.ended) - Number(other.ended))
  if (format === 'json' || format === 'yaml') await output.data({ operations }, format)
  else if (operations.length > 0) printOperations(context, operations)
  else
    output.note('No operation on clusters that you may see. `kobe node plan <cluster>` shows what a rollout would do.')
  return EXIT.ok
}

async function showOne(context: CommandContext, api: KobeApi, operation: OperationAnswer): Promise<number> {
  const { output, format, signal } = context
  const { cluster, name } = operation
  const { operations } = await api.call('listOperations', { query: { cluster } }, { signal })
  const others = operations.filter((other) => other.name !== name)
  if (format === 'json' || format === 'yaml') {
    await output.data({ operation, others }, format)
    return EXIT.ok
  }
  printOperation(context, operation)
  if (operation.lastError !== undefined && operation.lastError !== operation.message) output.line(operation.lastError)
  if (others.length === 0) return EXIT.ok
  output.line()
  printOperations(context, others)
  return EXIT.ok
}

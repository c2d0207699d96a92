import { defineCommand } from '../define-command.ts'
import { printPools } from '../pool-table.ts'

export const poolsCommand = defineCommand({
  examples: [
    ['kobe pools', 'all of them'],
    ['kobe pools ci-small -o wide', 'one, with its sizes and times'],
  ],
  args: [{ name: 'pool', description: 'only this pool', required: false, complete: 'pool' }],
  async run(context, input) {
    const { output, format, signal } = context
    const api = await context.api()
    const name = input.args[0]
    const found =
      name === undefined
        ? await api.call('listPools', {}, { signal })
        : await api.call('getPool', { params: { name } }, { signal })
    if (format === 'json' || format === 'yaml') {
      await output.data(found, format)
      return 0
    }
    const pools = [found].flat()
    if (pools.length === 0) output.note('No pools. Apply a ClusterPool: examples/pool.yaml is one to start from.')
    else printPools(output, format, pools)
    for (const { name: pool, stalled } of pools) {
      if (stalled !== undefined) output.note(`pool ${pool} is stalled (${stalled.reason}): ${stalled.message}`)
    }
    return 0
  },
})

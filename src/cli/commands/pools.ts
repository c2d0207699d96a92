import { defineCommand } from '../define-command.ts'
import { POOL_HEADER, poolRow } from '../pool-table.ts'
import { asList, type PoolView } from '../wire.ts'

export const poolsCommand = defineCommand({
  name: 'pools',
  summary: 'List the pools you may lease from',
  args: [{ name: 'pool', description: 'only this pool', required: false }],
  async run(context, input) {
    const name = input.args[0]
    const body = await context
      .api()
      .call('GET', name ? `/v1/pools/${encodeURIComponent(name)}` : '/v1/pools', undefined, context.signal)
    if (context.format === 'json' || context.format === 'yaml') {
      context.output.data(body, context.format)
      return 0
    }
    const pools = name ? [body as PoolView] : asList<PoolView>(body)
    if (pools.length === 0)
      context.output.note('No pools. Apply a ClusterPool: examples/pool.yaml is one to start from.')
    else context.output.table(POOL_HEADER, pools.map(poolRow))
    for (const { name: pool, stalled } of pools) {
      if (stalled !== undefined) context.output.note(`pool ${pool} is stalled (${stalled.reason}): ${stalled.message}`)
    }
    return 0
  },
})

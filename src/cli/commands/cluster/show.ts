import { defineCommand } from '../../define-command.ts'
import { CLUSTER_ARGUMENT } from '../../nodes/cluster-argument.ts'
import { printCluster } from '../../nodes/cluster-table.ts'

export const showClusterCommand = defineCommand({
  details: 'The nodes are looked at for the answer; what does not answer is shown as `-`.',
  examples: [
    ['kobe cluster show prod-1', 'state, groups, nodes'],
    ['kobe cluster show prod-1 -o wide', 'with its conditions'],
  ],
  args: [CLUSTER_ARGUMENT],
  async run(context, { args: [name = ''] }) {
    const { output, format, signal } = context
    const cluster = await (await context.api()).call('getCluster', { params: { name } }, { signal })
    if (format === 'json' || format === 'yaml') await output.data(cluster, format)
    else printCluster(context, cluster)
    return 0
  },
})

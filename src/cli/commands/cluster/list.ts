import { defineCommand } from '../../define-command.ts'
import { printClusters } from '../../nodes/cluster-table.ts'

export const listClustersCommand = defineCommand({
  examples: [
    ['kobe cluster list', 'all of them'],
    ['kobe cluster list -o wide', 'with providers and last errors'],
  ],
  async run(context) {
    const { output, format, signal } = context
    const answer = await (await context.api()).call('listClusters', {}, { signal })
    if (format === 'json' || format === 'yaml') await output.data(answer, format)
    else if (answer.clusters.length > 0) printClusters(context, answer.clusters)
    else output.note('No clusters that you may see. `kobe cluster create --help` says how one is described.')
    return 0
  },
})

import { defineCommand } from '../define-command.ts'
import { createClusterCommand } from './cluster/create.ts'
import { listClustersCommand } from './cluster/list.ts'
import { destroyCommand, startCommand, stopCommand } from './cluster/power.ts'
import { setSettingsCommand } from './cluster/set.ts'
import { showClusterCommand } from './cluster/show.ts'

export const clusterCommand = defineCommand({
  details: [
    'Standing clusters are those whose nodes Kobe keeps as their groups say: ManagedClusters. Clusters that are leased come from',
    'pools; `kobe pools` shows those.',
  ].join('\n'),
  examples: [
    ['kobe cluster list', 'those that you may see'],
    ['kobe cluster show prod-1', 'its groups and nodes'],
    [
      'kobe cluster set prod-1 --group workers --offering large',
      'what its workers should be, from the next rollout on',
    ],
  ],
  subcommands: [
    { name: 'list', summary: 'List the standing clusters', load: async () => listClustersCommand },
    { name: 'show', summary: 'Show a cluster with its groups and nodes', load: async () => showClusterCommand },
    { name: 'set', summary: 'Store settings of node groups, and touch no node', load: async () => setSettingsCommand },
    { name: 'create', summary: 'Describe a cluster that exists already', load: async () => createClusterCommand },
    { name: 'start', summary: 'Start all machines of a cluster', load: async () => startCommand },
    { name: 'stop', summary: 'Stop all machines of a cluster', load: async () => stopCommand },
    { name: 'destroy', summary: 'Destroy a cluster and its machines', load: async () => destroyCommand },
  ],
})

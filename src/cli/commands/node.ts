import { defineCommand } from '../define-command.ts'
import { cancelCommand } from './node/cancel.ts'
import { explainOperationCommand } from './node/explain.ts'
import { planRolloutCommand } from './node/plan.ts'
import { rolloutCommand } from './node/rollout.ts'
import { nodeStatusCommand } from './node/status.ts'

export const nodeCommand = defineCommand({
  details: [
    'The nodes of standing clusters are brought to the settings of their groups one batch after the other: drained, stopped,',
    'changed, started, and looked at before the next ones go. One operation holds a cluster at a time.',
  ].join('\n'),
  examples: [
    ['kobe node plan prod-1', 'which nodes, in which order, what blocks, how long'],
    ['kobe node rollout prod-1 --group workers --offering large --max-unavailable 2', 'do it, and watch'],
    ['kobe node status prod-1 --follow', 'watch what goes on'],
  ],
  subcommands: [
    { name: 'plan', summary: 'Show what a rollout would do now', load: async () => planRolloutCommand },
    { name: 'rollout', summary: 'Bring the nodes to their settings', load: async () => rolloutCommand },
    { name: 'cancel', summary: 'End an operation after the nodes in flight', load: async () => cancelCommand },
    { name: 'status', summary: 'Show operations, or follow the one of a cluster', load: async () => nodeStatusCommand },
    { name: 'explain', summary: 'Say why an operation does what it does', load: async () => explainOperationCommand },
  ],
})

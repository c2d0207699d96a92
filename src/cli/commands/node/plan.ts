import { defineCommand } from '../../define-command.ts'
import { CLUSTER_ARGUMENT } from '../../nodes/cluster-argument.ts'
import { printPlan } from '../../nodes/plan-table.ts'
import { ROLLOUT_OPTIONS, rolloutRequest } from '../../nodes/rollout-options.ts'

export const planRolloutCommand = defineCommand({
  details: [
    'Every node that would be rolled, batch by batch, with the reason, what its drain would meet (evictions are asked for as dry',
    'runs) and an estimate. With settings: as if they were stored. Asking changes nothing; a rollout that would be refused is an',
    'answer too, and no error.',
  ].join('\n'),
  examples: [
    ['kobe node plan prod-1', 'with the settings as they are stored'],
    ['kobe node plan prod-1 --group workers --offering large', 'with others'],
    ['kobe node plan prod-1 -o json', 'for a program'],
  ],
  args: [CLUSTER_ARGUMENT],
  options: ROLLOUT_OPTIONS,
  async run(context, input) {
    const { output, format, signal } = context
    const params = { name: input.args[0] ?? '' }
    const body = rolloutRequest(input)
    const plan = await (await context.api()).call('planRolloutOfSettings', { params, body }, { signal })
    if (format === 'json' || format === 'yaml') await output.data(plan, format)
    else printPlan(context, plan)
    return 0
  },
})

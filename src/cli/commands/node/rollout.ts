import type { KobeApi } from '../../../client/api.ts'
import { type CommandContext, defineCommand } from '../../define-command.ts'
import type { ExpectedMs } from '../../live/node-pace.ts'
import { beginAndFollow, FOLLOW_OPTIONS, followingOf } from '../../nodes/begin-operation.ts'
import { CLUSTER_ARGUMENT } from '../../nodes/cluster-argument.ts'
import { printPlanInShort, type RolloutPlan } from '../../nodes/plan-table.ts'
import { ROLLOUT_OPTIONS, type RolloutRequest, rolloutRequest } from '../../nodes/rollout-options.ts'

export const rolloutCommand = defineCommand({
  details: [
    'Brings every node that differs to the settings of its group: mark, cordon, drain, stop, change, start, verify, uncordon.',
    'External etcd goes first, then the control nodes one at a time, then the workers. Settings that are given are stored first, in',
    'the same operation. Says the plan in short, then follows: drawn in place on a terminal; elsewhere a line per change; with',
    '-o json one JSON value per line, {"event": "plan" | "operation" | "note" | "end", ...}, all of it on stdout.',
    '',
    'Ctrl-C, SIGTERM and --timeout stop watching and not the rollout. A connection that breaks is opened again.',
    'Codes: 0 done, 9 failed, 10 cancelled, 11 refused (another operation holds the cluster), 5 --timeout, 130 Ctrl-C.',
  ].join('\n'),
  examples: [
    ['kobe node rollout prod-1', 'to the settings that are stored'],
    [
      'kobe node rollout prod-1 --group workers --offering large --max-unavailable 2',
      'to these, two workers at a time',
    ],
    ['kobe node rollout prod-1 --no-wait', 'and go on at once'],
    ['kobe node rollout prod-1 -o json', 'for a program: events until the end'],
  ],
  args: [CLUSTER_ARGUMENT],
  options: [...ROLLOUT_OPTIONS, ...FOLLOW_OPTIONS],
  async run(context, input) {
    const following = followingOf(input)
    const cluster = input.args[0] ?? ''
    const request = rolloutRequest(input)
    const plan = await tellPlan(context, await context.api(), { cluster, request })
    const expectedMs = plan === undefined ? undefined : expectedOf(plan)
    return await beginAndFollow(context, { cluster, type: 'Rollout', ...request }, { ...following, expectedMs })
  },
})

interface Asked {
  readonly cluster: string
  readonly request: RolloutRequest
}

/** What is refused is told by the rollout itself, with the holder: a plan may be older than that by a moment. */
async function tellPlan(
  context: CommandContext,
  api: KobeApi,
  { cluster, request }: Asked,
): Promise<RolloutPlan | undefined> {
  const { output, format, signal } = context
  if (format === 'yaml') return undefined
  const plan = await api.call('planRolloutOfSettings', { params: { name: cluster }, body: request }, { signal })
  if (format === 'json') output.event({ event: 'plan', plan })
  else if (plan.refused === undefined) printPlanInShort(context, plan)
  return plan
}

const expectedOf = ({ batches }: RolloutPlan): ExpectedMs =>
  Object.fromEntries(batches.map(({ group, estimateMs }) => [group, estimateMs]))

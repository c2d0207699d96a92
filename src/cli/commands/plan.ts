import type { Answer } from '../../client/api.ts'
import { type CommandContext, defineCommand } from '../define-command.ts'
import { printNotes } from '../planner-notes.ts'
import { printFields } from '../show-lease.ts'

type PoolPlan = Answer<'planPool'>

export const planCommand = defineCommand({
  details: [
    'The operator plans each step from what it observes; this is the plan it would make now, with the reason of each step and of',
    'each step that it does not take. Asking changes nothing.',
  ].join('\n'),
  examples: [
    ['kobe plan pool ci-small', 'what happens next'],
    ['kobe plan pool ci-small -o wide', 'with the notes that are details'],
  ],
  args: [
    { name: 'kind', description: 'what kind of thing', required: true, choices: ['pool'] },
    { name: 'name', description: 'name of the pool', required: true, complete: 'pool' },
  ],
  async run(context, { args: [, name = ''] }) {
    const { output, format, signal } = context
    const plan = await (await context.api()).call('planPool', { params: { name } }, { signal })
    if (format === 'json' || format === 'yaml') await output.data(plan, format)
    else print(context, plan)
    return 0
  },
})

function print(context: CommandContext, plan: PoolPlan): void {
  const { output, format } = context
  const { name, at, nextLookSeconds, upgrade, actions, notes } = plan
  printFields(context, [
    ['Pool', name],
    ['Planned for', at],
    [
      'Next look',
      nextLookSeconds === undefined ? 'at the next event' : `in ${nextLookSeconds} s, or at the next event`,
    ],
    ['Upgrade', upgrade === undefined ? undefined : upgradeText(upgrade)],
  ])
  output.line()
  if (actions.length === 0) output.line('Nothing to do.')
  else {
    output.table(
      ['STEP', 'MEMBER', 'REASON', 'BECAUSE'],
      actions.map(({ kind, member = '-', reason = '-', message }) => [kind, member, reason, message]),
    )
  }
  printNotes(output, notes, format === 'wide')
}

function upgradeText({
  remaining,
  floor,
  maxRecycling,
  maxSurge,
  startedAt,
}: NonNullable<PoolPlan['upgrade']>): string {
  const since = startedAt === undefined ? '' : `, since ${startedAt}`
  return `${remaining} member(s) left${since}; at least ${floor} ready, ${maxRecycling} recycled at a time, ${maxSurge} more meanwhile`
}

import type { Answer } from '../../client/api.ts'
import { type CommandContext, defineCommand } from '../define-command.ts'
import { findLease } from '../find-lease.ts'
import { printMoments, printNotes } from '../planner-notes.ts'
import { printFields } from '../show-lease.ts'
import { SUBJECT_ARGUMENTS } from '../subject-arguments.ts'

type PoolPlan = Answer<'planPool'>
type LeasePlan = Answer<'planLease'>

export const planCommand = defineCommand({
  details: [
    'The operator plans each step from what it observes; this is the plan it would make now, with the reason of each step and of',
    'each step that it does not take. Asking changes nothing.',
  ].join('\n'),
  examples: [
    ['kobe plan pool ci-small', 'what happens next'],
    ['kobe plan pool ci-small -o wide', 'with the notes that are details'],
    ['kobe plan lease dev', 'what happens to it next, and when'],
  ],
  args: SUBJECT_ARGUMENTS,
  async run(context, { args: [kind, name = ''] }) {
    const { output, format, signal } = context
    const api = await context.api()
    if (kind === 'lease') {
      const id = await findLease(context, name, 'active first')
      const plan = await api.call('planLease', { params: { id } }, { signal })
      if (format === 'json' || format === 'yaml') await output.data(plan, format)
      else printLease(context, plan)
      return 0
    }
    const plan = await api.call('planPool', { params: { name } }, { signal })
    if (format === 'json' || format === 'yaml') await output.data(plan, format)
    else printPool(context, plan)
    return 0
  },
})

function printLease(context: CommandContext, plan: LeasePlan): void {
  const { output, format } = context
  const { id, phase, next_phase, at, next_look_seconds, actions, notes } = plan
  printFields(context, [
    ['Lease', id],
    ['Phase', phase === next_phase ? phase : `${phase}, next ${next_phase}`],
    ['Planned for', at],
    ['Next look', nextLookText(next_look_seconds)],
  ])
  output.line()
  if (actions.length === 0) output.line('Nothing to do.')
  else {
    output.table(
      ['STEP', 'CLUSTER', 'BECAUSE'],
      actions.map(({ kind, cluster = '-', message }) => [kind, cluster, message]),
    )
  }
  printMoments(output, plan)
  printNotes(output, notes, format === 'wide')
}

const nextLookText = (seconds: number | undefined): string =>
  seconds === undefined ? 'at the next event' : `in ${seconds} s, or at the next event`

function printPool(context: CommandContext, plan: PoolPlan): void {
  const { output, format } = context
  const { name, at, nextLookSeconds, upgrade, actions, notes } = plan
  printFields(context, [
    ['Pool', name],
    ['Planned for', at],
    ['Next look', nextLookText(nextLookSeconds)],
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

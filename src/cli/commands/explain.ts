import type { Answer } from '../../client/api.ts'
import { type CommandContext, defineCommand } from '../define-command.ts'
import { shortDuration } from '../duration-option.ts'
import { findLease } from '../find-lease.ts'
import { printMoments, printNotes } from '../planner-notes.ts'
import { printFields } from '../show-lease.ts'
import { SUBJECT_ARGUMENTS } from '../subject-arguments.ts'

type LeaseExplanation = Answer<'explainLease'>
type PoolExplanation = Answer<'explainPool'>
type MemberExplanation = PoolExplanation['members'][number]

const SOURCES = [
  ['spec', 'what the pool says of the shape of a member'],
  ['operator', 'KOBE_SYNC_IMAGE; backend vkobe only'],
  ['bootstraps', 'content of the BootstrapConfigs'],
  ['workload', 'what the backend would make now'],
] as const

export const explainCommand = defineCommand({
  details: [
    'Of a pool: what shapes its members, which are outdated and by what, and what the operator has to say of it.',
    'Of a lease: why it waits, is bound or has ended, what is ahead of it and when.',
  ].join('\n'),
  examples: [
    ['kobe explain pool ci-small', 'why its members are as they are'],
    ['kobe explain lease dev', 'why it waits, or when it ends'],
  ],
  args: SUBJECT_ARGUMENTS,
  async run(context, { args: [kind, name = ''] }) {
    const { output, format, signal } = context
    const api = await context.api()
    if (kind === 'lease') {
      const id = await findLease(context, name, 'active first')
      const lease = await api.call('explainLease', { params: { id } }, { signal })
      if (format === 'json' || format === 'yaml') await output.data(lease, format)
      else printLease(context, lease)
      return 0
    }
    const pool = await api.call('explainPool', { params: { name } }, { signal })
    if (format === 'json' || format === 'yaml') await output.data(pool, format)
    else printPool(context, pool)
    return 0
  },
})

function printLease(context: CommandContext, lease: LeaseExplanation): void {
  const { output, format } = context
  const { reason, message } = lease.because
  printFields(context, [
    ['Lease', lease.id],
    ['Alias', lease.alias],
    ['Pool', lease.profile],
    ['Phase', lease.phase],
    ...(lease.phase === 'Pending' ? waitFields(lease) : []),
    ['Because', `${reason}: ${message}`],
    ['Cluster', lease.cluster_name],
    ['Asked', lease.created_at],
    ['Bound', lease.bound_at],
    ['TTL', lease.ttl],
    ['Extended', lease.extensions === undefined ? undefined : `${lease.extensions} time(s)`],
    ['Expires', lease.expires_at === undefined ? undefined : `${lease.expires_at}${leftText(lease)}`],
    ['Diagnostics', lease.diagnostics_url],
  ])
  printMoments(output, lease)
  const { conditions = [], notes } = lease
  if (conditions.length > 0) {
    output.line()
    output.table(['CONDITION', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'], conditions.map(conditionRow))
  }
  printNotes(output, notes, format === 'wide')
}

type Field = readonly [name: string, value: string | undefined]

function waitFields({ queue_position, estimate_seconds }: LeaseExplanation): readonly Field[] {
  return [
    ['Place', queue_position === undefined ? undefined : `${queue_position} in the queue`],
    ['Estimate', estimate_seconds === undefined ? undefined : `about ${estimate_seconds} s`],
  ]
}

const leftText = ({ phase, expires_at = '', at }: LeaseExplanation): string =>
  phase === 'Bound' ? ` (${shortDuration(Date.parse(expires_at) - Date.parse(at))} left)` : ''

const conditionRow = (condition: NonNullable<LeaseExplanation['conditions']>[number]): readonly string[] => [
  condition.type,
  condition.status,
  condition.reason,
  condition.lastTransitionTime,
  condition.message,
]

function printPool(context: CommandContext, pool: PoolExplanation): void {
  const { output, format } = context
  output.line(`Pool       ${pool.name}`)
  output.line(`Spec hash  ${pool.specHash ?? 'not computed yet'}`)
  if (pool.stalled !== undefined) output.line(`Stalled    ${pool.stalled.reason}: ${pool.stalled.message}`)
  output.line()
  output.table(
    ['SOURCE', 'DIGEST', 'MEANING'],
    SOURCES.map(([source, meaning]) => [source, String(pool.sources?.[source] ?? '-'), meaning]),
  )
  output.line()
  if (pool.members.length === 0) output.line('No members.')
  else output.table(['MEMBER', 'PHASE', 'SPEC HASH', 'STATE', 'BECAUSE OF'], pool.members.map(memberRow))
  for (const member of pool.members.filter(({ changes }) => changes.length > 0)) {
    output.line()
    output.line(`${member.name}, since it was made:`)
    for (const change of member.changes) output.line(`  ${changeText(change)}`)
  }
  printNotes(output, pool.notes ?? [], format === 'wide')
}

const memberRow = ({ name, phase, specHash, state, changedSources }: MemberExplanation): readonly string[] => [
  name,
  phase,
  specHash ?? '-',
  state,
  changedSources.length === 0 ? '-' : changedSources.join(', '),
]

function changeText({ path, before, after }: MemberExplanation['changes'][number]): string {
  if (before === undefined && after === undefined) return `${path} changed`
  return `${path}: ${valueText(before)} -> ${valueText(after)}`
}

const valueText = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

import { defineCommand } from '../define-command.ts'
import { EXIT, UserError } from '../user-error.ts'
import type { MemberExplanation, PoolExplanation } from '../wire.ts'

const SOURCES = [
  ['spec', 'what the pool says of the shape of a member'],
  ['operator', 'KOBE_SYNC_IMAGE; backend vkobe only'],
  ['bootstraps', 'content of the BootstrapConfigs'],
  ['workload', 'what the backend would make now'],
] as const

export const explainCommand = defineCommand({
  name: 'explain',
  summary: 'Show what shapes the members of a pool, and which are outdated by what',
  details: ['Example:', '  kobe explain pool ci-small'].join('\n'),
  args: [
    { name: 'kind', description: 'pool', required: true },
    { name: 'name', description: 'name of the pool', required: true },
  ],
  async run({ api, signal, output, format }, { args: [kind = '', name = ''] }) {
    if (kind !== 'pool') {
      throw new UserError(`cannot explain ${kind}`, {
        fix: 'use `kobe explain pool <name>`',
        exitCode: EXIT.usage,
      })
    }
    const path = `/v1/pools/${encodeURIComponent(name)}/explain`
    const pool = (await api().call('GET', path, undefined, signal)) as PoolExplanation
    if (format === 'json' || format === 'yaml') {
      output.data(pool, format)
      return 0
    }
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
    const outdated = pool.members.filter(({ changes }) => changes.length > 0)
    for (const member of outdated) {
      output.line()
      output.line(`${member.name}, since it was made:`)
      for (const change of member.changes) output.line(`  ${changeText(change)}`)
    }
    return 0
  },
})

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

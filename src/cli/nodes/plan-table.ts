/** What a rollout would do: every node in its order, and in short. */
import type { Answer } from '../../client/api.ts'
import type { CommandContext } from '../define-command.ts'
import { elapsed } from '../live/elapsed.ts'
import { printNotes } from '../planner-notes.ts'
import { printFields } from '../show-lease.ts'

export type RolloutPlan = Answer<'planRolloutOfSettings'>
type Batch = RolloutPlan['batches'][number]
type Finding = Batch['nodes'][number]['findings'][number]

export function printPlan(context: CommandContext, plan: RolloutPlan): void {
  const { output, format } = context
  printFields(context, [
    ['Cluster', plan.cluster],
    ['State', plan.state],
    ['Refused', plan.refused === undefined ? undefined : `${plan.refused.reason}: ${plan.refused.message}`],
    ['Nodes', `${plan.totalNodes} in ${plan.batches.length} batch(es)`],
    ['Estimate', plan.totalNodes === 0 ? undefined : `${elapsed(plan.estimateMs)} (${plan.estimateBasis})`],
  ])
  output.line()
  if (plan.batches.length === 0) output.line('Nothing to roll.')
  else {
    output.table(
      ['BATCH', 'NODE', 'GROUP', 'BECAUSE', 'BLOCKED BY', 'ESTIMATE'],
      plan.batches.flatMap((batch, index) => batchRows(batch, index + 1)),
    )
  }
  printFindings(context, plan)
  printLeftOut(context, plan)
  printNotes(output, plan.notes, format === 'wide')
}

function batchRows({ group, nodes, estimateMs }: Batch, number: number): string[][] {
  return nodes.map(({ name, reasons, leftover, findings }, index) => {
    const because = [...(leftover === true ? ['left behind by an earlier run'] : []), ...reasons].join('; ')
    return [String(number), name, group, because, blockedBy(findings), index === 0 ? elapsed(estimateMs) : '']
  })
}

function blockedBy(findings: readonly Finding[]): string {
  const blocking = findings.filter(({ blocks }) => blocks)
  if (blocking.length === 0) return '-'
  return blocking.map(({ kind, pods, budgets }) => [kind, few(pods), few(budgets)].filter(Boolean).join(' ')).join('; ')
}

const SHOWN = 2

/** `default/web-1, default/web-2 and 3 more`. */
function few(names: readonly string[]): string {
  const more = names.length - SHOWN
  return more <= 0 ? names.join(', ') : `${names.slice(0, SHOWN).join(', ')} and ${more} more`
}

/** What the drains would meet, and what the run would wait for, in whole sentences. */
function printFindings({ output }: CommandContext, { batches }: RolloutPlan): void {
  const rows = batches.flatMap(({ nodes, waitsFor }, index) => [
    ...waitsFor.map((message) => [`batch ${index + 1}`, 'waits', message]),
    ...nodes.flatMap(({ name, findings }) =>
      findings.map(({ blocks, message }) => [name, blocks ? 'blocked' : 'note', message]),
    ),
  ])
  if (rows.length === 0) return
  output.line()
  output.table(['WHERE', 'WHAT', 'THE RUN WOULD MEET'], rows)
}

function printLeftOut({ output }: CommandContext, { leftOut, groups }: RolloutPlan): void {
  const rows = [
    ...leftOut.map(({ node, reason, message }) => [node, reason, message]),
    ...groups.flatMap(({ name, skipped }) => (skipped === undefined ? [] : [[`all of ${name}`, 'skipped', skipped]])),
  ]
  if (rows.length === 0) return
  output.line()
  output.table(['LEFT OUT', 'REASON', 'MESSAGE'], rows)
}

/** A few lines, for before the work begins. */
export function printPlanInShort({ output }: CommandContext, plan: RolloutPlan): void {
  const { cluster, batches, totalNodes, estimateMs, leftOut } = plan
  if (totalNodes === 0) output.line(`${cluster}: no node differs from its settings`)
  else output.line(`${cluster}: ${totalNodes} node(s) in ${batches.length} batch(es), about ${elapsed(estimateMs)}`)
  for (const { group, names, most } of groupsOf(batches)) {
    output.line(`  ${group}: ${few(names)}${most > 1 ? `, up to ${most} at a time` : ', one at a time'}`)
  }
  for (const { node, message } of leftOut.slice(0, SHOWN)) output.line(`  left out: ${node}: ${message}`)
  if (leftOut.length > SHOWN) output.line(`  left out: ${leftOut.length - SHOWN} more`)
  const blocked = batches.flatMap(({ nodes }) => nodes).filter(({ findings }) => findings.some(({ blocks }) => blocks))
  for (const { name, findings } of blocked.slice(0, SHOWN)) output.line(`  blocked: ${name}: ${blockedBy(findings)}`)
  if (blocked.length > 0) output.note(`\`kobe node plan ${cluster}\` says more about what blocks`)
}

interface GroupInShort {
  readonly group: string
  readonly names: readonly string[]
  readonly most: number
}

function groupsOf(batches: readonly Batch[]): GroupInShort[] {
  const groups = [...new Set(batches.map(({ group }) => group))]
  return groups.map((group) => {
    const own = batches.filter((batch) => batch.group === group)
    const names = own.flatMap(({ nodes }) => nodes.map(({ name }) => name))
    return { group, names, most: Math.max(...own.map(({ nodes }) => nodes.length)) }
  })
}

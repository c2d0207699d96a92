/** Standing clusters in a row each, and one of them in full. */
import type { Answer } from '../../client/api.ts'
import type { CommandContext } from '../define-command.ts'
import { since } from '../live/elapsed.ts'
import { printFields } from '../show-lease.ts'
import { settingsText } from './settings-options.ts'

export type ClusterView = Answer<'listClusters'>['clusters'][number]
export type ClusterDetail = Answer<'getCluster'>
type Group = ClusterView['groups'][number]
type NodeRow = ClusterDetail['nodes'][number]

const HEADER = ['CLUSTER', 'STATE', 'NODES', 'READY', 'OUT OF DATE', 'UNAVAILABLE', 'OPERATION']
const WIDE_HEADER = [...HEADER, 'PROVIDER', 'LAST ERROR']

export function printClusters({ output, format }: CommandContext, clusters: readonly ClusterView[]): void {
  const wide = format === 'wide'
  const rows = clusters.map((cluster) => [
    cluster.name,
    cluster.state,
    ...(['nodes', 'ready', 'outOfDate', 'unavailable'] as const).map((what) => totalOf(cluster, what)),
    operationText(cluster) ?? '-',
    ...(wide ? [cluster.provider, cluster.lastError ?? '-'] : []),
  ])
  output.table(wide ? WIDE_HEADER : HEADER, rows)
}

type Counted = 'nodes' | 'ready' | 'outOfDate' | 'unavailable'

/** Unknown before the first observation. */
function totalOf({ groups }: ClusterView, what: Counted): string {
  const counts = groups.map((group) => group[what]).filter((count) => count !== undefined)
  return counts.length === 0 ? '-' : String(counts.reduce((sum, count) => sum + count, 0))
}

function operationText({ operation }: ClusterView): string | undefined {
  if (operation === undefined) return undefined
  return `${operation.type} ${operation.name} (${since(operation.since, Date.now()) ?? operation.since})`
}

export function printCluster(context: CommandContext, cluster: ClusterDetail): void {
  const { output, format } = context
  const { lastOperation: last, capacity, ungrouped } = cluster
  printFields(context, [
    ['Cluster', cluster.name],
    ['State', cluster.state],
    ['Provider', cluster.provider],
    ['Operation', operationText(cluster)],
    ['Last one', last === undefined ? undefined : `${last.name}: ${last.phase}, ${last.endedAt}`],
    ['Frozen', cluster.frozen],
    ['Capacity', capacity === undefined ? undefined : `${capacity.cpu} CPU, ${capacity.memory}`],
    ['Last error', cluster.lastError],
    ['Ungrouped', ungrouped?.join(', ')],
  ])
  output.line()
  output.table(
    ['GROUP', 'TYPE', 'NODES', 'READY', 'OUT OF DATE', 'UNAVAILABLE', 'AT MOST', 'SETTINGS'],
    cluster.groups.map(groupRow),
  )
  output.line()
  if (cluster.nodes.length === 0) output.line('No nodes are seen.')
  else output.table(['NODE', 'GROUP', 'MACHINE', 'READY', 'CORDON', 'STEP', 'OUT OF DATE'], cluster.nodes.map(nodeRow))
  const { conditions = [] } = cluster
  if (format !== 'wide' || conditions.length === 0) return
  output.line()
  output.table(
    ['CONDITION', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'],
    conditions.map((one) => [one.type, one.status, one.reason, one.lastTransitionTime, one.message]),
  )
}

const groupRow = ({ name, type, settings, maxUnavailable, ...counts }: Group): string[] => [
  name,
  type,
  ...[counts.nodes, counts.ready, counts.outOfDate, counts.unavailable].map((count) => String(count ?? '-')),
  String(maxUnavailable),
  settingsText(settings) || '-',
]

const nodeRow = ({ name, group, machine = '-', ready, cordon = 'none', step, outOfDate }: NodeRow): string[] => [
  name,
  group,
  machine,
  ready === undefined ? '-' : ready ? 'yes' : 'no',
  cordon === 'none' ? '-' : cordon,
  step ?? '-',
  outOfDate.length === 0 ? '-' : outOfDate.join('; '),
]

/** One row per pool, as `kobe status` and `kobe pools` show it. */
import type { PoolView } from '../client/api.ts'
import type { Output, OutputFormat } from './output.ts'

const HEADER = ['POOL', 'PHASE', 'READY', 'LEASED', 'CREATING', 'RECYCLING', 'UNHEALTHY', 'QUARANTINED', 'QUEUE']
const WIDE_HEADER = [...HEADER, 'SIZE', 'WARM', 'MOST', 'TTL', 'QUEUE TIMEOUT']

export function printPools(output: Output, format: OutputFormat, pools: readonly PoolView[]): void {
  const wide = format === 'wide'
  const rows = pools.map((pool) => [...poolRow(pool), ...(wide ? wideCells(pool) : [])])
  output.table(wide ? WIDE_HEADER : HEADER, rows)
}

function poolRow(pool: PoolView): readonly string[] {
  const counts = [pool.ready, pool.leased, pool.creating, pool.recycling, pool.unhealthy, pool.quarantined]
  return [pool.name, pool.phase ?? 'Unknown', ...[...counts, pool.queueDepth].map((count) => String(count ?? 0))]
}

function wideCells({ policy }: PoolView): readonly string[] {
  return [
    policy.mode,
    String(policy.warmTarget),
    String(policy.maxClusters ?? policy.warmTarget),
    policy.ttl,
    policy.queueTimeout ?? 'none',
  ]
}

/** One row per pool, as `kobe status` and `kobe pools` show it. */
import type { PoolView } from './wire.ts'

export const POOL_HEADER = [
  'POOL',
  'PHASE',
  'READY',
  'LEASED',
  'CREATING',
  'RECYCLING',
  'UNHEALTHY',
  'QUARANTINED',
  'QUEUE',
] as const

export function poolRow(pool: PoolView): readonly string[] {
  const count = (value: number | undefined) => String(value ?? 0)
  return [
    pool.name,
    pool.phase ?? 'Unknown',
    count(pool.ready),
    count(pool.leased),
    count(pool.creating),
    count(pool.recycling),
    count(pool.unhealthy),
    count(pool.quarantined),
    count(pool.queueDepth),
  ]
}

/** Statuses as short texts: what a planner can tell apart, without names, versions and absolute times. */
import { parseTimestamp } from '../../../src/api/timestamp.ts'
import type { InstanceStatus } from '../../../src/api/v1alpha1/cluster-instance.ts'
import type { LeaseStatus } from '../../../src/api/v1alpha1/cluster-lease.ts'
import type { PoolStatus } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { TICK_MS } from './world.ts'

const moments = new Map<string, number | undefined>()

/** As `parseTimestamp`; few moments occur, and each of them again and again. */
export function momentOf(text: string | null | undefined): number | undefined {
  if (!text) return undefined
  if (!moments.has(text)) moments.set(text, parseTimestamp(text))
  return moments.get(text)
}

/** In ticks: `0`, `1`, `2` and more ago; `f1`, `f2` ahead, `f3` further; `-` when there is none. */
export function ageOf(text: string | null | undefined, now: number): string {
  const at = momentOf(text)
  if (at === undefined) return '-'
  return at > now
    ? `f${Math.min(3, Math.ceil((at - now) / TICK_MS))}`
    : String(Math.min(2, Math.floor((now - at) / TICK_MS)))
}

const PHASES: Readonly<Record<string, string>> = { Creating: 'c', Ready: 'r', Leased: 'l', Recycling: 'x' }

export function encodeInstanceStatus(status: InstanceStatus | undefined, now: number): string {
  if (status === undefined) return '?'
  const { phase, specHash, createdWith, stateSince, idleSince, healthFailures, conditions } = status
  const since = phase === 'Leased' ? '' : ageOf(stateSince, now)
  return [
    PHASES[phase] ?? phase,
    specHash?.slice(0, 3) ?? '-',
    createdWith?.cluster?.version ?? '-',
    since,
    phase === 'Ready' ? ageOf(idleSince, now) : '',
    Math.min(3, healthFailures),
    phase === 'Recycling' ? conditions?.find(({ type }) => type === 'Ready')?.reason : '',
    phase === 'Creating' ? conditions?.find(({ type }) => type === 'Provisioned')?.reason : '',
  ].join(',')
}

export function encodeLeaseStatus(status: LeaseStatus | undefined, now: number): string {
  if (status === undefined) return '?'
  const { phase, queuePosition, expiresAt, endedAt, conditions } = status
  const reason = conditions?.find(({ type }) => type === 'Bound')?.reason ?? '-'
  const ends = phase === 'Bound' ? ageOf(expiresAt, now) : ageOf(endedAt, now)
  return [phase[0], queuePosition, ends, reason].join(',')
}

export function encodePoolStatus(status: PoolStatus | undefined, now: number): string {
  if (status === undefined) return '?'
  const { conditions = [], upgrade, failures = [] } = status
  return [
    status.phase,
    status.ready,
    status.leased,
    status.creating,
    status.recycling,
    status.unhealthy,
    status.queueDepth,
    status.warmTarget,
    status.drifted,
    status.currentSpecHash?.slice(0, 3),
    status.effectiveSurge ?? '-',
    upgrade === undefined ? '-' : `${upgrade.oldHash?.slice(0, 3)}${upgrade.newHash?.slice(0, 3)}${upgrade.remaining}`,
    Math.min(4, status.consecutiveFailures ?? 0),
    ageOf(status.nextAttemptAt, now),
    failures.length > 0 ? ageOf(failures.at(-1)?.at, now) : '-',
    ...conditions.map(({ type, status: holds, reason }) => `${type[0]}${type[1]}${holds[0]}${reason}`),
  ].join(',')
}

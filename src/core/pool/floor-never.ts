/** Knobs with which no outdated member can ever be replaced: no sequence of steps keeps the floor. Accepted, and said. [ours] */
import type { PoolFacts } from './facts.ts'

/** Why, and what to change; undefined while an upgrade can go on. */
export function floorNever({ options }: PoolFacts): string | undefined {
  const { warm, ceiling, floor, maxSurge } = options
  // The most members above the warm target that can ever be had: the ceiling binds before `maxSurge` does.
  const room = Math.min(maxSurge, Math.max(0, ceiling - warm))
  if (warm === 0 || floor < warm + room) return undefined
  const surge =
    room < maxSurge
      ? `maxSurge is ${maxSurge}, of which ${room} fit under the ceiling of ${ceiling},`
      : `maxSurge is ${maxSurge}`
  const raise = room < maxSurge ? 'maxClusters' : 'maxSurge'
  return `${surge} and the floor (${floor}) is not below the warm target (${warm}); raise ${raise} or lower minReadyDuringUpgrade`
}

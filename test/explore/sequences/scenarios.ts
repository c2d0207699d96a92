/** Every example of the published upgrade page, and what may come in between. */
import { scaling } from '../../../src/core/testing/builders.ts'
import type { Scenario } from './scenario.ts'

const policy = (maxRecycling: number, maxSurge: number, minReadyDuringUpgrade: number) => ({
  upgradePolicy: { maxRecycling, maxSurge, minReadyDuringUpgrade },
})
const upgrade = { at: 5, do: 'upgrade', to: 'v2' } as const

export const SCENARIOS: readonly Scenario[] = [
  { name: 'page-size-1', spec: { size: 1, ...policy(1, 1, 0) }, events: [upgrade] },
  { name: 'page-size-4', spec: { size: 4, ...policy(1, 1, 3) }, events: [upgrade] },
  { name: 'page-size-8', spec: { size: 8, ...policy(2, 2, 6) }, events: [upgrade] },
  { name: 'page-defaults', spec: { size: 3 }, events: [upgrade] },
  { name: 'page-scaling', spec: { scaling: scaling({ minReady: 2, maxClusters: 4 }) }, events: [upgrade] },
  {
    name: 'page-scale-to-zero',
    spec: { scaling: scaling({ minReady: 0, maxClusters: 2 }) },
    events: [upgrade, { at: 20, do: 'claim', lease: 'lease-1' }, { at: 80, do: 'release', lease: 'lease-1' }],
  },
  { name: 'page-never-progresses', spec: { size: 2, ...policy(1, 0, 2) }, events: [upgrade] },
  {
    name: 'page-surge-above-ceiling',
    spec: { scaling: scaling({ minReady: 2, maxClusters: 3 }), ...policy(1, 2, 2) },
    events: [upgrade],
  },
  {
    name: 'page-pause-and-resume',
    spec: { size: 4, ...policy(1, 1, 3) },
    events: [upgrade, { at: 40, do: 'pause' }, { at: 140, do: 'resume' }],
    seconds: 400,
  },
  {
    name: 'page-roll-back',
    spec: { size: 4, ...policy(1, 1, 3) },
    events: [upgrade, { at: 45, do: 'upgrade', to: 'v1' }],
  },
  { name: 'dark-and-fast', spec: { size: 4, ...policy(4, 0, 0) }, events: [upgrade] },
  {
    name: 'claims-in-mid-upgrade',
    spec: { size: 4, ...policy(1, 1, 3) },
    events: [
      { at: 0, do: 'claim', lease: 'lease-1' },
      { at: 60, do: 'upgrade', to: 'v2' },
      { at: 80, do: 'claim', lease: 'lease-2' },
      { at: 120, do: 'release', lease: 'lease-1' },
      { at: 150, do: 'release', lease: 'lease-2' },
    ],
  },
  {
    name: 'bad-template-then-good',
    spec: { size: 3, ...policy(1, 1, 2) },
    events: [
      { at: 5, do: 'upgrade', to: 'bad' },
      { at: 120, do: 'upgrade', to: 'v3' },
    ],
    seconds: 400,
  },
  {
    name: 'host-full',
    spec: { size: 3, ...policy(1, 1, 2) },
    events: [{ at: 0, do: 'full' }, upgrade, { at: 100, do: 'room' }],
  },
  {
    name: 'operator-restarts',
    spec: { size: 3, ...policy(1, 1, 2) },
    events: [upgrade, ...[10, 25, 28, 40, 55].map((at) => ({ at, do: 'restart' }) as const)],
  },
  {
    name: 'size-changes',
    spec: { size: 2 },
    events: [
      { at: 5, do: 'size', to: 4 },
      { at: 60, do: 'size', to: 1 },
    ],
  },
]

/** Size 1 to 8, surge 0 to 2, floor 0 to size: every upgrade that the knobs allow. */
export function everyUpgrade(): Scenario[] {
  const all: Scenario[] = []
  for (let size = 1; size <= 8; size += 1) {
    for (let surge = 0; surge <= 2; surge += 1) {
      for (let floor = 0; floor <= size; floor += 1) {
        all.push({
          name: `size ${size} surge ${surge} floor ${floor}`,
          spec: { size, ...policy(1, surge, floor) },
          events: [upgrade],
          seconds: 600,
        })
      }
    }
  }
  return all
}

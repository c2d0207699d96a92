/** The worlds that `explore pools` goes through, and the few that make a quick test. */
import { scaling } from '../../../src/core/testing/builders.ts'
import type { WorldConfig } from './config.ts'

const policy = (maxSurge: number, minReadyDuringUpgrade: number, maxRecycling = 1) => ({
  maxSurge,
  minReadyDuringUpgrade,
  maxRecycling,
})

/** Worlds of some hundreds of states: each shows one thing. */
export const SMALL_WORLDS: readonly WorldConfig[] = [
  { name: 'small-fill', spec: { size: 1 }, filled: false, budget: { crashes: 1, lostAnswers: 1 } },
  { name: 'small-fill-lag', spec: { size: 2 }, filled: false, budget: { lags: 1 } },
  { name: 'small-fail', spec: { size: 1 }, filled: false, budget: { failures: 1, slow: 1 } },
  { name: 'small-fail-crash', spec: { size: 1 }, filled: false, budget: { failures: 1, crashes: 1, pauses: 1 } },
  { name: 'small-full', spec: { size: 1 }, filled: false, budget: { failures: 1, slow: 2 } },
  { name: 'small-bad', spec: { size: 1, upgradePolicy: policy(1, 0) }, budget: { edits: 2 }, edits: ['bad', 'v2'] },
  { name: 'small-hang', spec: { size: 1, upgradePolicy: policy(1, 0) }, budget: { edits: 2 }, edits: ['hang', 'v2'] },
  { name: 'small-roll-one', spec: { size: 1, upgradePolicy: policy(1, 0) }, budget: { edits: 1 }, edits: ['v2'] },
  { name: 'small-roll', spec: { size: 2, upgradePolicy: policy(1, 2) }, budget: { edits: 1 }, edits: ['v2'] },
  { name: 'small-roll-dark', spec: { size: 2, upgradePolicy: policy(0, 0) }, budget: { edits: 1 }, edits: ['v2'] },
  {
    name: 'small-roll-back',
    spec: { size: 2, upgradePolicy: policy(1, 1) },
    budget: { edits: 2 },
    edits: ['v1', 'v2'],
  },
  { name: 'small-shrink', spec: { size: 2 }, budget: { edits: 1 }, edits: ['shrink'] },
  {
    name: 'small-roll-ceiling',
    spec: { scaling: scaling({ minReady: 1, maxClusters: 2 }), upgradePolicy: policy(1, 0) },
    budget: { edits: 1, claims: 1, releases: 1 },
    edits: ['v2'],
  },
  {
    name: 'small-roll-leased',
    spec: { size: 1, upgradePolicy: policy(1, 0) },
    budget: { edits: 1, claims: 1, pauses: 1 },
    edits: ['v2'],
    pausing: ['lease'],
  },
  { name: 'small-lease', spec: { size: 1 }, budget: { claims: 1, releases: 1 } },
  { name: 'small-lease-crash', spec: { size: 1 }, budget: { claims: 1, crashes: 1 } },
  { name: 'small-expire', spec: { size: 1 }, leasesExpire: true, budget: { claims: 1 } },
  { name: 'small-race', spec: { size: 1 }, budget: { claims: 2, pauses: 1 }, pausing: ['lease'] },
  {
    name: 'small-full-house',
    spec: { scaling: scaling({ minReady: 1, maxClusters: 1, queueTimeout: '1000h' }) },
    budget: { claims: 2 },
  },
  { name: 'small-sick', spec: { size: 1 }, budget: { sickness: 1 } },
  { name: 'small-by-hand', spec: { size: 1 }, budget: { claims: 1, deletes: 1 } },
  { name: 'small-pool-deleted', spec: { size: 1 }, budget: { claims: 1, deletes: 1 }, deletes: ['pool'] },
  {
    name: 'small-scaling',
    spec: { scaling: scaling({ minReady: 0, maxClusters: 2 }) },
    budget: { claims: 1, releases: 1 },
  },
]

export const WORLDS: readonly WorldConfig[] = [
  ...SMALL_WORLDS,
  {
    name: 'first-fill',
    spec: { size: 2 },
    filled: false,
    budget: { pauses: 1, crashes: 1, lostAnswers: 1, failures: 1 },
  },
  {
    name: 'one-member',
    spec: { size: 1, upgradePolicy: policy(1, 0) },
    budget: { edits: 2, crashes: 1, pauses: 1 },
    edits: ['v1', 'v2'],
  },
  {
    name: 'one-lagging',
    spec: { size: 1, upgradePolicy: policy(1, 0) },
    budget: { edits: 1, claims: 1, lags: 1 },
    edits: ['v2'],
  },
  {
    name: 'two-rolling',
    spec: { size: 2, upgradePolicy: policy(1, 1) },
    budget: { edits: 2, pauses: 1 },
    edits: ['v1', 'v2'],
  },
  {
    name: 'two-at-once',
    spec: { size: 2, upgradePolicy: policy(0, 0, 2) },
    budget: { edits: 1, pauses: 1 },
    edits: ['v2'],
  },
  {
    name: 'two-leased',
    spec: { size: 2, upgradePolicy: policy(1, 1) },
    budget: { edits: 1, claims: 1 },
    edits: ['v2'],
  },
  {
    name: 'roll-by-hand',
    spec: { size: 2, upgradePolicy: policy(0, 1) },
    budget: { edits: 1, deletes: 1, lags: 1 },
    edits: ['v2'],
    lagging: ['instances'],
    deletes: ['instance'],
  },
  { name: 'claims-and-crashes', spec: { size: 1 }, budget: { claims: 2, crashes: 1 } },
  { name: 'claims-and-lost-answers', spec: { size: 1 }, budget: { claims: 2, lostAnswers: 1 } },
  { name: 'claims-and-lag', spec: { size: 1 }, budget: { claims: 2, lags: 1 }, lagging: ['instances', 'leases'] },
  { name: 'release-and-lag', spec: { size: 1 }, budget: { claims: 1, releases: 1, lags: 1, lostAnswers: 1 } },
  { name: 'leases-expire', spec: { size: 1 }, leasesExpire: true, budget: { claims: 2, crashes: 1 } },
  {
    name: 'bad-template',
    spec: { size: 1, upgradePolicy: policy(1, 0) },
    budget: { edits: 2, slow: 1 },
    edits: ['v1', 'v2', 'bad', 'hang', 'full'],
  },
  { name: 'bad-for-two', spec: { size: 2, upgradePolicy: policy(1, 1) }, budget: { edits: 2 }, edits: ['bad', 'v2'] },
  { name: 'failures', spec: { size: 2 }, filled: false, budget: { failures: 2, slow: 1 } },
  {
    name: 'sickness',
    spec: { size: 2, upgradePolicy: policy(1, 1) },
    budget: { sickness: 1, edits: 1 },
    edits: ['v2'],
  },
  {
    name: 'pause-and-resume',
    spec: { size: 2, upgradePolicy: policy(1, 1) },
    budget: { edits: 3 },
    edits: ['v2', 'pause', 'resume'],
  },
  { name: 'grow-and-shrink', spec: { size: 2 }, budget: { edits: 2 }, edits: ['grow', 'shrink', 'v2'] },
  { name: 'by-hand', spec: { size: 1 }, budget: { claims: 1, deletes: 2 }, deletes: ['pool', 'instance', 'lease'] },
  {
    name: 'pool-deleted',
    spec: { size: 1 },
    budget: { claims: 1, deletes: 1, crashes: 1, lostAnswers: 1 },
    deletes: ['pool'],
  },
  {
    name: 'to-zero-and-back',
    spec: { scaling: scaling({ minReady: 0, maxClusters: 2 }) },
    budget: { claims: 2, releases: 1 },
  },
  {
    name: 'at-the-ceiling',
    spec: { scaling: scaling({ minReady: 1, maxClusters: 2 }) },
    budget: { claims: 2, edits: 1 },
    edits: ['v2'],
  },
  {
    name: 'no-room-to-surge',
    spec: { scaling: scaling({ minReady: 2, maxClusters: 2 }) },
    budget: { edits: 1, claims: 1, releases: 1 },
    edits: ['v2'],
  },
  {
    name: 'scaling-rolls',
    spec: { scaling: scaling({ minReady: 1, maxClusters: 3 }), upgradePolicy: policy(2, 0, 2) },
    budget: { edits: 1, claims: 1 },
    edits: ['v2'],
  },
  {
    name: 'floor-never',
    spec: { size: 1, upgradePolicy: policy(0, 1) },
    budget: { edits: 1, claims: 1, releases: 1 },
    edits: ['v2'],
  },
  {
    name: 'fresh-only',
    spec: { size: 1, upgradePolicy: policy(1, 1) },
    freshOnly: true,
    budget: { claims: 1, edits: 1, releases: 1 },
    edits: ['v2'],
  },
]

export function worldNamed(name: string): WorldConfig {
  const world = WORLDS.find((candidate) => candidate.name === name)
  if (world === undefined) throw new RangeError(`there is no world ${name}`)
  return world
}

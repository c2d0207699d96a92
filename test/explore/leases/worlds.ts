/** The worlds that `explore leases` goes through, and the few that make a quick test. */
import type { WorldConfig } from './config.ts'

const ann = { by: 'ann' } as const
const bob = { by: 'bob' } as const
const annByKubectl = { by: 'ann', direct: true } as const
const urgent = { by: 'bob', direct: true, priority: 90 } as const
const annAgain = { by: 'ann', key: 'k1' } as const

/** Worlds of some hundreds of states: each shows one thing. */
export const SMALL_LEASE_WORLDS: readonly WorldConfig[] = [
  { name: 'lease-one', members: 1, asks: [ann], budget: { releases: 1, pauses: 1 } },
  { name: 'lease-crash', members: 1, asks: [ann], budget: { crashes: 1, lostAnswers: 1 } },
  { name: 'lease-race', members: 1, operators: 2, asks: [ann, bob], budget: { pauses: 1 }, faulty: ['operator'] },
  {
    name: 'lease-overtaken',
    members: 1,
    operators: 2,
    asks: [annByKubectl, urgent],
    budget: { pauses: 1 },
    faulty: ['operator'],
  },
  { name: 'lease-lag', members: 1, operators: 2, asks: [ann, bob], budget: { lags: 1 } },
  {
    name: 'lease-lag-new',
    members: 1,
    operators: 2,
    asks: [ann, bob],
    budget: { lags: 1, releases: 1 },
    lagging: ['clusterinstances'],
  },
  { name: 'lease-expires', members: 1, asks: [ann], expires: true, budget: { extensions: 2 } },
  { name: 'lease-longest', members: 1, asks: [ann], expires: true, maxExtensions: 3, budget: { extensions: 3 } },
  { name: 'lease-idles', members: 1, asks: [{ by: 'ann', idles: true }], budget: { heartbeats: 1 } },
  { name: 'lease-queue', members: 1, asks: [ann, bob], queueTimeout: true, budget: { releases: 1 } },
  { name: 'lease-cap', members: 2, asks: [ann, ann], caps: { ann: 1 }, budget: { pauses: 1 }, faulty: ['replica'] },
  {
    name: 'lease-key',
    members: 1,
    asks: [annAgain, annAgain],
    budget: { pauses: 1, releases: 1 },
    faulty: ['replica'],
  },
  {
    name: 'lease-cap-again',
    members: 1,
    asks: [ann, ann, ann],
    caps: { ann: 2 },
    budget: { pauses: 1 },
    faulty: ['replica'],
  },
  { name: 'lease-kubectl', members: 2, asks: [annByKubectl, annByKubectl], caps: { ann: 1 }, budget: { pauses: 1 } },
  { name: 'lease-by-hand', members: 1, asks: [ann], budget: { deletes: 1, pauses: 1 }, faulty: ['operator'] },
]

export const LEASE_WORLDS: readonly WorldConfig[] = [
  ...SMALL_LEASE_WORLDS,
  {
    name: 'leases-two-operators',
    members: 2,
    operators: 2,
    asks: [ann, bob],
    budget: { pauses: 2 },
    faulty: ['operator'],
  },
  {
    name: 'leases-overtaken',
    members: 1,
    operators: 2,
    asks: [ann, bob],
    budget: { pauses: 1, releases: 1, lags: 1 },
    faulty: ['operator'],
  },
  { name: 'leases-crashes', members: 2, asks: [ann, bob], budget: { crashes: 2, releases: 1 } },
  { name: 'leases-lost-answers', members: 2, asks: [ann, bob], budget: { lostAnswers: 2, releases: 1 } },
  { name: 'leases-lag', members: 2, operators: 2, asks: [ann, bob], budget: { lags: 2, releases: 1 } },
  {
    name: 'leases-lag-and-lose',
    members: 1,
    operators: 2,
    asks: [ann, bob],
    budget: { lags: 1, lostAnswers: 1, releases: 1 },
    lagging: ['clusterleases', 'clusterinstances', 'secrets'],
  },
  {
    name: 'leases-expire',
    members: 1,
    operators: 2,
    asks: [ann, bob],
    expires: true,
    budget: { extensions: 1, pauses: 1, slow: 1 },
  },
  {
    name: 'leases-idle',
    members: 1,
    operators: 2,
    asks: [{ by: 'ann', idles: true }, bob],
    budget: { heartbeats: 1, pauses: 1, lags: 1 },
    faulty: ['operator'],
  },
  { name: 'leases-queue', members: 1, asks: [ann, ann, bob], queueTimeout: true, budget: { releases: 1, crashes: 1 } },
  {
    name: 'leases-three',
    members: 3,
    operators: 2,
    asks: [ann, bob, ann],
    budget: { pauses: 1 },
    faulty: ['operator'],
  },
  {
    name: 'leases-cap',
    members: 2,
    asks: [ann, ann, bob],
    caps: { ann: 1 },
    budget: { pauses: 2, releases: 1 },
    faulty: ['replica'],
  },
  {
    name: 'leases-cap-crash',
    members: 2,
    asks: [ann, ann],
    caps: { ann: 1 },
    budget: { pauses: 1, crashes: 1, lostAnswers: 1, releases: 1 },
  },
  {
    name: 'leases-keys',
    members: 1,
    asks: [annAgain, annAgain, annAgain],
    caps: { ann: 1 },
    budget: { pauses: 2, lostAnswers: 1 },
    faulty: ['replica'],
  },
  {
    name: 'leases-keys-end',
    members: 1,
    asks: [annAgain, annAgain],
    budget: { pauses: 1, crashes: 1, releases: 1, deletes: 1 },
    deletes: ['lease'],
  },
  {
    name: 'leases-kubectl',
    members: 2,
    asks: [annByKubectl, annByKubectl, bob],
    caps: { ann: 1 },
    budget: { pauses: 2, releases: 1 },
    faulty: ['operator'],
  },
  {
    name: 'leases-priority',
    members: 1,
    asks: [
      { by: 'ann', direct: true },
      { by: 'bob', direct: true, priority: 90 },
    ],
    budget: { pauses: 1, releases: 1, crashes: 1 },
  },
  {
    name: 'leases-by-hand',
    members: 2,
    operators: 2,
    asks: [ann, bob],
    budget: { deletes: 2, pauses: 1 },
    faulty: ['operator'],
  },
  {
    name: 'leases-by-hand-lag',
    members: 1,
    operators: 2,
    asks: [ann, bob],
    budget: { deletes: 1, lags: 1, crashes: 1 },
    faulty: ['operator'],
  },
]

/** The worlds that `explore nodes` goes through, and the few that make a quick test. */
import { withManagedClusterDefaults } from '../../../src/api/v1alpha1/defaults.ts'
import type { ManagedClusterSpec } from '../../../src/api/v1alpha1/managed-cluster.ts'
import type { NodesConfig } from './config.ts'

const { drain, pace } = withManagedClusterDefaults({
  metadata: {},
  spec: {
    connection: { inCluster: true },
    provider: { type: 'simulated' },
    nodeGroups: [{ name: 'w', type: 'worker' }],
  },
}).spec

const onTimeout = (what: 'Skip' | 'Force'): Partial<ManagedClusterSpec> => ({ drain: { ...drain, onTimeout: what } })
const AT_ONCE: Partial<ManagedClusterSpec> = { pace: { ...pace, canary: 'Off' } }

/** Worlds of some hundreds of states: each shows one thing. */
const SMALL: readonly NodesConfig[] = [
  { name: 'nodes-roll', succeeds: true, control: 3, workers: 2 },
  { name: 'nodes-crash', succeeds: true, control: 1, workers: 2, budget: { crashes: 1, lostAnswers: 1 } },
  { name: 'nodes-etcd', succeeds: true, control: 2, etcd: 3, workers: 1, budget: { crashes: 1 } },
  { name: 'nodes-etcd-sick', control: 2, etcd: 3, workers: 1, budget: { sickness: 1 } },
  { name: 'nodes-two-at-once', workers: 3, maxUnavailable: 2, spec: AT_ONCE, budget: { flaps: 1 }, only: ['w1', 'w3'] },
  { name: 'nodes-percent', succeeds: true, workers: 3, maxUnavailable: '70%', spec: AT_ONCE, budget: { crashes: 1 } },
  {
    name: 'nodes-last-worker',
    succeeds: true,
    workers: 1,
    operation: { allowLastWorker: true },
    budget: { crashes: 1, pauses: 1 },
  },
  { name: 'nodes-only-worker', workers: 1, budget: { crashes: 1 } },
  { name: 'nodes-no-room', workers: 2, rules: { noRoomFor: 'v2' }, budget: { crashes: 1 } },
  { name: 'nodes-refused', workers: 2, rules: { refused: 'v2' }, budget: { crashes: 1 } },
  { name: 'nodes-no-room-once', workers: 2, budget: { noRoom: 2, operations: 1 } },
  { name: 'nodes-never-back', control: 3, workers: 1, budget: { deaths: 1 } },
  { name: 'nodes-drain-blocked', workers: 2, blockedForEver: ['w1'], budget: { crashes: 1 } },
  {
    name: 'nodes-drain-skip',
    succeeds: true,
    workers: 2,
    blockedForEver: ['w1'],
    spec: onTimeout('Skip'),
    budget: { crashes: 1 },
  },
  {
    name: 'nodes-drain-force',
    succeeds: true,
    workers: 2,
    blockedForEver: ['w1'],
    spec: onTimeout('Force'),
    budget: { crashes: 1 },
  },
  {
    name: 'nodes-drain-one-of-two',
    workers: 3,
    maxUnavailable: 2,
    spec: AT_ONCE,
    blockedForEver: ['w2'],
    budget: { crashes: 1 },
  },
  { name: 'nodes-do-not-disrupt', succeeds: true, workers: 3, doNotDisrupt: ['w2'], budget: { crashes: 1 } },
  { name: 'nodes-foreign-cordon', workers: 2, pods: ['w1'], budget: { cordons: 1, cancels: 1 } },
  {
    name: 'nodes-cordoned-before',
    succeeds: true,
    workers: 2,
    cordoned: ['w1'],
    budget: { uncordons: 1, crashes: 1 },
    only: ['w1'],
  },
  { name: 'nodes-uncordoned', workers: 2, pods: ['w1'], budget: { uncordons: 2 } },
  { name: 'nodes-stopped-two', succeeds: true, workers: 3, stopped: ['w1', 'w2'], budget: { crashes: 1 } },
  {
    name: 'nodes-stopped-up-to-date',
    succeeds: true,
    workers: 2,
    stopped: ['w1'],
    upToDate: ['w1'],
    budget: { crashes: 1 },
  },
  { name: 'nodes-cancel-again', workers: 2, budget: { cancels: 1, operations: 1 } },
  { name: 'nodes-delete', workers: 2, budget: { deletes: 1, crashes: 1 } },
  { name: 'nodes-freeze', workers: 2, budget: { freezes: 2, cancels: 1 } },
  { name: 'nodes-edit', workers: 2, budget: { edits: 2, operations: 1 } },
  { name: 'nodes-storing', workers: 1, operation: { settingsStored: false }, budget: { cancels: 1, crashes: 1 } },
  {
    name: 'nodes-two-operations',
    workers: 1,
    operation: { allowLastWorker: true },
    budget: { operations: 1, pauses: 1 },
  },
  { name: 'nodes-by-hand', workers: 2, budget: { machinesByHand: 1 }, only: ['w1'] },
  { name: 'nodes-by-hand-dies', workers: 2, budget: { machinesByHand: 1, deaths: 1 }, only: ['w1'] },
  {
    name: 'nodes-budget-at-the-last-step',
    workers: 3,
    maxUnavailable: 2,
    spec: AT_ONCE,
    stopped: ['w1'],
    budget: { flaps: 1 },
  },
  { name: 'nodes-one-control', succeeds: true, control: 1, etcd: 3, workers: 2, budget: { crashes: 1 } },
  { name: 'nodes-by-hand-other', workers: 3, budget: { machinesByHand: 1 }, only: ['w2'] },
  { name: 'nodes-foreign-late', workers: 2, budget: { cordons: 1, slow: 2 }, only: ['w1'] },
  { name: 'nodes-left-behind', workers: 2, budget: { deaths: 1, operations: 1, cancels: 1 } },
  { name: 'nodes-reverted', workers: 2, budget: { strips: 1, edits: 1, operations: 1 } },
  { name: 'nodes-stop', workers: 2, operation: { type: 'Stop' }, budget: { crashes: 1, lostAnswers: 1, pauses: 1 } },
  {
    name: 'nodes-start',
    workers: 2,
    state: 'Stopped',
    stopped: ['c1', 'w1', 'w2'],
    operation: { type: 'Start' },
    budget: { crashes: 1, lostAnswers: 1, deaths: 1 },
    only: ['w1'],
  },
  { name: 'nodes-quorum-flap', control: 3, workers: 0, budget: { flaps: 1 } },
  { name: 'nodes-finalizer-stripped', workers: 2, budget: { strips: 1 } },
  { name: 'nodes-flap', control: 3, workers: 1, budget: { flaps: 1, slow: 1 } },
]

/** Larger: several things at once. */
const LARGE: readonly NodesConfig[] = [
  { name: 'nodes-lagging', workers: 2, budget: { lags: 1, crashes: 1, pauses: 1 } },
  { name: 'nodes-lagging-twice', workers: 2, pods: ['w1'], budget: { lags: 2, lostAnswers: 1 } },
  { name: 'nodes-two-leaders', control: 3, workers: 1, budget: { pauses: 2, crashes: 1 } },
  {
    name: 'nodes-leaders-and-people',
    workers: 2,
    budget: { pauses: 1, cancels: 1, operations: 1, cordons: 1 },
    only: ['w1', 'w2'],
  },
  { name: 'nodes-everything-fails', workers: 2, budget: { noRoom: 1, deaths: 1, flaps: 1, crashes: 1, operations: 1 } },
  { name: 'nodes-slow', workers: 2, blocked: ['w1', 'w2'], budget: { slow: 2, crashes: 1, operations: 1 } },
  {
    name: 'nodes-slow-batch',
    workers: 3,
    maxUnavailable: 2,
    spec: AT_ONCE,
    blocked: ['w2'],
    budget: { slow: 2, crashes: 1, noRoom: 1 },
  },
  {
    name: 'nodes-two-at-once-crash',
    workers: 3,
    maxUnavailable: 2,
    spec: AT_ONCE,
    budget: { crashes: 1, lostAnswers: 1, flaps: 1 },
  },
  { name: 'nodes-quorum', control: 3, workers: 0, budget: { sickness: 1, deaths: 1, flaps: 1, crashes: 1 } },
  { name: 'nodes-quorum-grid', control: 3, workers: 0, budget: { spoils: 3, crashes: 1, slow: 1 } },
  { name: 'nodes-quorum-grid-five', control: 5, workers: 0, budget: { spoils: 2 } },
  { name: 'nodes-quorum-grid-etcd', control: 2, etcd: 3, workers: 0, budget: { spoils: 3, crashes: 1 } },
  { name: 'nodes-quorum-slow', control: 3, workers: 1, budget: { sickness: 2, slow: 2 } },
  { name: 'nodes-etcd-all', control: 2, etcd: 3, workers: 1, budget: { sickness: 1, noRoom: 1, crashes: 1, slow: 1 } },
  { name: 'nodes-etcd-by-hand', control: 2, etcd: 3, workers: 0, budget: { machinesByHand: 1, crashes: 1, deaths: 1 } },
  { name: 'nodes-by-hand-twice', workers: 2, budget: { machinesByHand: 2, slow: 1 } },
  { name: 'nodes-foreign', workers: 3, cordoned: ['w2'], pods: ['w1'], budget: { cordons: 1, crashes: 1, slow: 1 } },
  { name: 'nodes-frozen', workers: 2, budget: { freezes: 2, crashes: 1, pauses: 1, lags: 1 } },
  { name: 'nodes-cancelled', workers: 2, pods: ['w2'], budget: { cancels: 1, deletes: 1, pauses: 1, operations: 1 } },
  { name: 'nodes-edited', workers: 2, budget: { edits: 2, lags: 1, crashes: 1, operations: 1 } },
  {
    name: 'nodes-no-room-at-all',
    workers: 3,
    maxUnavailable: 2,
    spec: AT_ONCE,
    rules: { noRoomFor: 'v2' },
    budget: { crashes: 1, operations: 1 },
  },
]

export const SMALL_NODE_WORLDS: readonly NodesConfig[] = SMALL
export const NODE_WORLDS: readonly NodesConfig[] = [...SMALL, ...LARGE]

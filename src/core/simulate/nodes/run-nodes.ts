/**
 * Runs the planners over a simulated cluster on a virtual clock, to the end: how a rollout would go, how long it would take, and
 * what it would do at which moment. Nothing waits, so a day of rollouts is over in a moment, and the same world gives the same run.
 */

import type { NodeAction } from '../../nodes/action.ts'
import { planManagedCluster } from '../../nodes/plan-managed-cluster.ts'
import { planNodeOperation } from '../../nodes/plan-node-operation.ts'
import { earliest } from '../../requeue.ts'
import { sameStatus } from '../../status-equality.ts'
import { carryOut, writeOperation } from './effects.ts'
import { observeCluster, observeOperation } from './observe.ts'
import { type Progress, type ProgressKind, progress } from './progress.ts'
import type { NodesWorld } from './world.ts'

/** How long what happens by itself takes. Milliseconds. */
export type NodeTimes = Readonly<Record<ProgressKind, number>>

export const DEFAULT_TIMES: NodeTimes = {
  stopped: 20_000,
  booted: 40_000,
  noRoom: 5_000,
  reported: 30_000,
  silent: 40_000,
  recovered: 60_000,
  evictable: 120_000,
}

export interface NodesRun {
  readonly world: NodesWorld
  /** What was done and what happened, with seconds since the start. */
  readonly log: readonly { readonly atSeconds: number; readonly what: string }[]
  /** Names of the nodes of each batch, in the order in which they were claimed. */
  readonly batches: readonly (readonly string[])[]
  readonly seconds: number
  /** Most workers whose machines were down at the same time. */
  readonly mostUnavailable: number
}

interface Run {
  world: NodesWorld
  readonly start: number
  readonly times: NodeTimes
  readonly log: { atSeconds: number; what: string }[]
  readonly batches: (readonly string[])[]
  /** When what has begun will be over. */
  readonly due: Map<string, number>
  mostUnavailable: number
}

/** More moments than any run of a few thousand nodes has: beyond it something goes round in circles. */
const MAX_MOMENTS = 200_000

/** @throws when the cluster does not come to rest. */
export function runNodes(world: NodesWorld, times: NodeTimes = DEFAULT_TIMES): NodesRun {
  const run: Run = { world, start: world.now, times, log: [], batches: [], due: new Map(), mostUnavailable: 0 }
  for (let moment = 0; moment < MAX_MOMENTS; moment += 1) {
    const wakeAt = planAndAct(run)
    const next = nextMoment(run, wakeAt)
    if (next === undefined) {
      const { log, batches, mostUnavailable } = run
      return { world: run.world, log, batches, seconds: (run.world.now - run.start) / 1000, mostUnavailable }
    }
    run.world = { ...run.world, now: next }
    happen(run)
  }
  throw new Error(`the cluster does not come to rest within ${MAX_MOMENTS} moments`)
}

const say = (run: Run, what: string): void => {
  run.log.push({ atSeconds: (run.world.now - run.start) / 1000, what })
}

/** Passes of all planners until none of them writes; answers when one of them wants to look again. */
function planAndAct(run: Run): number | undefined {
  for (let round = 0; round < MAX_MOMENTS; round += 1) {
    const before = run.world
    const wakes = [...run.world.operations.map(({ metadata }) => operationPass(run, metadata.name ?? '')), scan(run)]
    if (run.world === before) {
      const after = wakes.filter((wake) => wake !== undefined)
      return after.length === 0 ? undefined : run.world.now + Math.min(...after)
    }
  }
  throw new Error('the planners write for ever')
}

function operationPass(run: Run, name: string): number | undefined {
  const observed = observeOperation(run.world, name)
  if (observed === undefined) return undefined
  const { actions, status, requeueAfterMs } = planNodeOperation(observed, run.world.now)
  act(run, { operation: name, uid: observed.operation.metadata.uid ?? '' }, actions)
  if (!sameStatus(observed.operation.status ?? {}, status)) {
    const before = run.world
    run.world = writeOperation(before, observed.operation, status)
    if (run.world !== before && status.phase !== observed.operation.status?.phase) say(run, `${name}: ${status.phase}`)
  }
  return requeueAfterMs
}

function scan(run: Run): number | undefined {
  const { actions, requeueAfterMs } = planManagedCluster(observeCluster(run.world), run.world.now)
  act(run, { operation: 'scanner', uid: '' }, actions)
  return requeueAfterMs
}

function act(run: Run, actor: { operation: string; uid: string }, actions: readonly NodeAction[]): void {
  for (const action of actions) {
    const state = run.world.cluster.status?.state
    const before = run.world
    run.world = carryOut(run.world, actor, action)
    if (run.world === before) continue
    const claimed = run.world.cluster.status?.operation?.batch
    if (claimed !== undefined && before.cluster.status?.operation?.batch === undefined)
      run.batches.push(claimed.nodes.map(({ name }) => name))
    if ('node' in action) say(run, `${actor.operation}: ${action.kind} ${action.node}`)
    else if (run.world.cluster.status?.state !== state)
      say(run, `${actor.operation}: ${state} -> ${run.world.cluster.status?.state}`)
  }
}

const keyOf = ({ member, kind }: Progress<NodesWorld>): string => `${member} ${kind}`

/** What goes on is over after its time; what cannot happen any more does not. */
function nextMoment(run: Run, wakeAt: number | undefined): number | undefined {
  const possible = [...progress(run.world)]
  const keys = new Set(possible.map(keyOf))
  for (const key of run.due.keys()) if (!keys.has(key)) run.due.delete(key)
  for (const step of possible) {
    if (!run.due.has(keyOf(step))) run.due.set(keyOf(step), run.world.now + run.times[step.kind])
  }
  return earliest(...run.due.values(), wakeAt)
}

function happen(run: Run): void {
  for (const [key, at] of [...run.due]) {
    if (at > run.world.now) continue
    run.due.delete(key)
    const step = [...progress(run.world)].find((candidate) => keyOf(candidate) === key)
    if (step === undefined) continue
    run.world = step.next
    say(run, step.label)
  }
  const down = run.world.members.filter(({ type, machine }) => type === 'worker' && machine.state !== 'Running').length
  run.mostUnavailable = Math.max(run.mostUnavailable, down)
}

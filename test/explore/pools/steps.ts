/** Everything that can happen next in a world, always in the same order. */
import type { Step } from '../engine/model.ts'
import { disturbances } from './disturbances.ts'
import { encode } from './encode.ts'
import { momentOf } from './encode-status.ts'
import { instancePass } from './instance-pass.ts'
import { leasePass } from './lease-pass.ts'
import { type ControllerName, type Pass, run, runLosing } from './pass.ts'
import { poolPass } from './pool-pass.ts'
import {
  blame,
  EMPTY_MEMORY,
  memberChanged,
  remember,
  setCluster,
  TICK_MS,
  viewed,
  type World,
  withEvidence,
} from './world.ts'

/** Passes that only ask a backend go on at once, as their controller does; so many times at most. */
const MAX_ASKS = 6

export function* steps(world: World): Generator<Step<World>> {
  if (world.violations.length > 0) return
  let busy = false
  for (const step of undisturbed(world)) {
    if (encode(step.next) !== encode(world)) busy = true
    yield step
  }
  yield* interrupted(world)
  yield* disturbances(world)
  const later = timePasses(world, busy)
  if (later !== undefined) yield later
}

function* undisturbed(world: World): Generator<Step<World>> {
  for (const { world: asked, pass } of passesOf(world)) {
    const { world: next } = run(asked, pass)
    if (next !== world) yield { label: describe(pass), fair: true, next }
  }
  const { suspended, lag } = world.memory
  if (suspended !== undefined) {
    const { suspended: _done, ...memory } = world.memory
    const { world: next } = run({ ...world, memory }, suspended)
    yield { label: `${describe(suspended, suspended.next)} (goes on)`, fair: true, next }
  }
  if (lag !== undefined) {
    const { lag: _over, ...memory } = world.memory
    yield { label: `the watch of ${lag.kind} catches up`, fair: true, next: { ...world, memory } }
  }
  yield* clustersMove(world)
}

function* clustersMove(world: World): Generator<Step<World>> {
  for (const [uid, cluster] of world.clusters) {
    const name = nameOf(world, uid)
    const roomy = cluster.state === 'full' && cluster.version !== 'full'
    if (cluster.state === 'booting' || roomy) {
      const state = roomy ? 'booting' : 'running'
      const next = memberChanged(setCluster(world, uid, { ...cluster, state }), uid)
      yield { label: roomy ? `the host has room for ${name}` : `${name} is up`, fair: true, next }
    }
    if (cluster.state === 'dying') {
      yield {
        label: `the cluster of ${name} is gone`,
        fair: true,
        next: memberChanged(setCluster(world, uid, undefined), uid),
      }
    }
  }
}

export const nameOf = ({ instances }: World, uid: string): string =>
  instances.find(({ metadata }) => metadata.uid === uid)?.metadata.name ?? uid

export const describe = ({ controller, name, ops }: Pass, from = 0): string =>
  `${controller} pass${controller === 'pool' ? '' : ` of ${name}`}: ${
    ops
      .slice(from)
      .map(({ label }) => label)
      .join(', ') || 'nothing'
  }`

export interface AskedPass {
  readonly world: World
  readonly pass: Pass
}

/** The pass of every controller over each of its objects; the one that stands still is not begun again. */
export function passesOf(world: World): AskedPass[] {
  const before = askedFor.get(world)
  if (before !== undefined) return before
  const passes = allPasses(world)
  askedFor.set(world, passes)
  return passes
}

/** Asked for several times in each state: to go on, to be cut, to be judged. */
const askedFor = new WeakMap<World, AskedPass[]>()

function allPasses(world: World): AskedPass[] {
  const { suspended } = world.memory
  const { instances, leases } = viewed(world)
  const keys: [ControllerName, string][] = [
    ['pool', 'ci-small'],
    ...leases.map(({ metadata }): [ControllerName, string] => ['lease', metadata.name ?? '']),
    ...instances.map(({ metadata }): [ControllerName, string] => ['instance', metadata.name ?? '']),
  ]
  return keys
    .filter(([controller, name]) => suspended?.controller !== controller || suspended.name !== name)
    .flatMap(([controller, name]) => asked(world, controller, name) ?? [])
}

function begin(world: World, controller: ControllerName, name: string): Pass | undefined {
  if (controller === 'pool') return poolPass(world)
  return controller === 'lease' ? leasePass(world, name) : instancePass(world, name)
}

/** Goes through passes that only ask (probe, ensure, destroy) to the first one that writes, or that finds nothing to do. */
function asked(world: World, controller: ControllerName, name: string): AskedPass | undefined {
  let state = world
  let pass = begin(state, controller, name)
  for (let count = 0; pass !== undefined && count < MAX_ASKS; count += 1) {
    if (pass.ops.length === 0 || pass.ops.some(({ writes }) => writes)) break
    state = run(pass.observedIn, pass).world
    pass = begin(state, controller, name)
  }
  return pass === undefined
    ? undefined
    : { world: pass.ops.length === 0 && state === world ? looked(world, pass) : looked(state, pass), pass }
}

/** What the planner got wrong shows even when the plan does nothing. */
const looked = (world: World, pass: Pass): World =>
  pass.ops.length > 0 || pass.observedIn.violations.length > 0 ? pass.observedIn : world

/** The operator dies, stands still or loses an answer between any two writes. */
function* interrupted(world: World): Generator<Step<World>> {
  const { budget, memory } = world
  if (budget.crashes > 0)
    yield { label: 'the operator restarts', fair: false, next: spend(restarted(world), 'crashes') }
  const cuts = budget.crashes + budget.lostAnswers + (memory.suspended === undefined ? budget.pauses : 0)
  if (cuts === 0) return
  for (const { world: begun, pass } of passesOf(world)) yield* cut(world, begun, pass)
}

function* cut(world: World, begun: World, pass: Pass): Generator<Step<World>> {
  const { budget, memory, config } = world
  const mayPause = memory.suspended === undefined && (config.pausing?.includes(pass.controller) ?? true)
  for (const [at, op] of pass.ops.entries()) {
    if (!op.writes) continue
    if (budget.pauses > 0 && mayPause) {
      const { world: half, paused } = run(begun, pass, at)
      if (paused !== undefined) {
        const next = spend(remember(half, { suspended: paused }), 'pauses')
        yield { label: `${describe(pass)}; stands still before: ${op.label}`, fair: false, next }
      }
    }
    if (budget.crashes > 0) {
      const next = spend(restarted(run(begun, pass, at + 1).world), 'crashes')
      yield { label: `${describe(pass)}; the operator dies after: ${op.label}`, fair: false, next }
    }
    if (budget.lostAnswers > 0) {
      const next = spend(runLosing(begun, pass, at), 'lostAnswers')
      yield { label: `${describe(pass)}; the answer is lost of: ${op.label}`, fair: false, next }
    }
  }
}

export const spend = (world: World, what: keyof World['budget']): World => ({
  ...world,
  budget: { ...world.budget, [what]: world.budget[what] - 1 },
})

/** A new operator lists everything before it acts. */
const restarted = (world: World): World => ({ ...world, memory: EMPTY_MEMORY })

/**
 * One tick. A lag never lasts as long; what boots or goes is quicker, unless the world is slow for once. Healthy members are
 * probed on the way: that changes nothing else.
 */
function timePasses(world: World, busy: boolean): Step<World> | undefined {
  const { memory, budget } = world
  if (memory.lag !== undefined || memory.suspended !== undefined) return undefined
  if (busy && budget.slow === 0) return undefined
  const later = probed(remember({ ...world, now: world.now + TICK_MS }, { expected: [] }))
  const next = busy ? spend(later, 'slow') : judged(world, later)
  return { label: busy ? 'time passes, too early' : 'time passes', fair: !busy, next }
}

/**
 * Where all is quiet, nothing waits that should not: no token of an ended lease (I8), no lease past its end, and whoever acts
 * when time has passed has asked to be woken.
 */
function judged(world: World, later: World): World {
  let next = later
  for (const { metadata, status } of world.leases) {
    const ended = status?.phase === 'Released' || status?.phase === 'Expired'
    const token = world.tokens.includes(metadata.uid ?? '')
    next = blame(next, !(ended && token), `I8: ${metadata.name} has ended and its token is left`)
    const overdue = status?.phase === 'Bound' && (momentOf(status.expiresAt) ?? 0) <= world.now
    next = blame(next, !overdue, `I8: ${metadata.name} is past its end and still Bound`)
  }
  const sleeping = new Map(passesOf(world).map(({ pass }) => [`${pass.controller}/${pass.name}`, pass]))
  for (const { pass } of passesOf(later)) {
    const before = sleeping.get(`${pass.controller}/${pass.name}`)
    if (before === undefined || before.ops.length > 0 || !pass.ops.some(({ writes }) => writes)) continue
    const asked = before.requeueAfterMs !== undefined && before.requeueAfterMs <= TICK_MS
    next = blame(next, asked, `Wake: the ${pass.controller} pass acts later, and does not ask to be woken`)
  }
  return next
}

function probed(world: World): World {
  let next = world
  for (const { metadata, status } of world.instances) {
    const uid = metadata.uid ?? ''
    const healthy = world.clusters.get(uid)?.state === 'running' && status?.healthFailures === 0
    if (status?.phase !== 'Ready' || !healthy) continue
    const at = world.now
    next = withEvidence(next, uid, (before) => ({ ...before, probe: { healthy: true, failuresInARow: 0, at } }))
    next = remember(next, { probes: new Map(next.memory.probes).set(uid, { healthy: true, at }) })
  }
  return next
}

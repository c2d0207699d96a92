/** Everything that can happen next in a world, always in the same order. */
import { progress } from '../../../src/core/simulate/nodes/progress.ts'
import type { Step } from '../engine/model.ts'
import { disturbances } from './disturbances.ts'
import { encode } from './encode.ts'
import { describe, passesOf, run, writesOf } from './pass.ts'

import { type NodesMemory, type NodesPass, TICK_MS, type World } from './world.ts'

export function* steps(world: World): Generator<Step<World>> {
  if (world.violations.length > 0) return
  const here = encode(world)
  let busy = false
  const passes = passesOf(world)
  for (const step of undisturbed(world, passes)) {
    if (encode(step.next) !== here) busy = true
    yield step
  }
  yield* interrupted(world, passes)
  yield* disturbances(world)
  yield* timePasses(world, busy)
}

function* undisturbed(world: World, passes: readonly NodesPass[]): Generator<Step<World>> {
  for (const pass of passes) {
    if (writesOf(pass) > 0) yield { label: describe(pass), fair: true, next: run(world, pass).world }
  }
  const { suspended, lag } = world.memory
  if (suspended !== undefined) {
    const { suspended: _goes, ...memory } = world.memory
    yield { label: `${describe(suspended)} (goes on)`, fair: true, next: run({ ...world, memory }, suspended).world }
  }
  if (lag !== undefined) {
    const { lag: _over, ...memory } = world.memory
    yield { label: `the watch of ${lag.kind} catches up`, fair: true, next: { ...world, memory } }
  }
  const forEver = new Set(world.config.blockedForEver)
  for (const { kind, member, label, next } of progress(world)) {
    if (kind !== 'evictable' || !forEver.has(member)) yield { label, fair: true, next }
  }
}

const spend = (world: World, what: keyof World['budget']): World => ({
  ...world,
  budget: { ...world.budget, [what]: world.budget[what] - 1 },
})

const NOTHING: NodesMemory = {}

/** The operator dies, stands still, or loses an answer between any two writes. */
function* interrupted(world: World, passes: readonly NodesPass[]): Generator<Step<World>> {
  const { budget, memory } = world
  const hasMemory = memory.lag !== undefined || memory.suspended !== undefined || world.attempted.size > 0
  if (budget.crashes > 0 && hasMemory)
    yield { label: 'the operator dies', fair: false, next: spend(reborn(world), 'crashes') }
  for (const pass of passes) {
    const writes = writesOf(pass)
    for (let at = 0; at < writes; at += 1) {
      const what = `${describe(pass)}, write ${at + 1} of ${writes}`
      if (budget.crashes > 0) yield crash(world, pass, at + 1, `the operator dies after ${what}`)
      // A write whose answer is lost ends the pass; without memory it is as good as a crash after it.
      if (budget.lostAnswers > 0 && at + 1 < writes)
        yield {
          label: `the answer is lost of ${what}`,
          fair: false,
          next: spend(run(world, pass, at + 1).world, 'lostAnswers'),
        }
      if (budget.pauses > 0 && memory.suspended === undefined) yield* pause(world, pass, at, `before ${what}`)
    }
  }
}

const crash = (world: World, pass: NodesPass, until: number, label: string): Step<World> => ({
  label,
  fair: false,
  next: spend(reborn(run(world, pass, until).world), 'crashes'),
})

/** A new operator lists everything before it acts. */
const reborn = (world: World): World => ({ ...world, memory: NOTHING, attempted: new Map() })

function* pause(world: World, pass: NodesPass, at: number, label: string): Generator<Step<World>> {
  const { world: next, paused } = run(world, pass, at)
  if (paused === undefined) return
  const memory = { ...next.memory, suspended: paused }
  yield { label: `the operator stands still ${label}`, fair: false, next: spend({ ...next, memory }, 'pauses') }
}

/** Time passes when nothing else is left to do; while something is, as often as the budget says. */
function* timePasses(world: World, busy: boolean): Generator<Step<World>> {
  const later = { ...world, now: world.now + TICK_MS }
  if (!busy) yield { label: 'time passes', fair: true, next: later }
  else if (world.budget.slow > 0) yield { label: 'time passes meanwhile', fair: false, next: spend(later, 'slow') }
}

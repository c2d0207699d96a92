/** Everything that can happen next in a world, always in the same order. */
import { CLUSTER_INSTANCES } from '../../../src/api/v1alpha1/resources.ts'
import { aReady } from '../../../src/core/testing/builders.ts'
import type { Step } from '../engine/model.ts'
import { TICK_MS } from '../pools/world.ts'
import { create, remove } from './api-server.ts'
import { runAsk } from './calls.ts'
import { disturbances } from './disturbances.ts'
import { encode } from './encode.ts'
import { judgeQuiet } from './invariants.ts'
import { runMemberPass } from './member-pass.ts'
import { type Begin, type Ran, runLeasePass } from './operator-pass.ts'
import type { Request } from './session.ts'
import {
  blame,
  keyOf,
  leasesOf,
  membersOf,
  type Operator,
  ofKind,
  type Suspended,
  spend,
  viewOf,
  type World,
  withOperator,
} from './world.ts'

export const RESTARTED: Operator = { gone: [] }
const LETTERS = ['A', 'B']

export async function steps(world: World): Promise<Step<World>[]> {
  if (world.violations.length > 0) return []
  const passes = await operatorsAct(world)
  const found = [...passes.steps, ...(await callsGoOn(world)), ...caughtUp(world), ...membersMove(world)]
  const busy = found.some(({ fair, next }) => fair && encode(next) !== encode(world))
  found.push(...(await disturbances(world)))
  const later = await timePasses(world, busy, passes.requeues)
  return later === undefined ? found : [...found, later]
}

/** When each pass that does nothing wants to be run again, by lease. */
type Requeues = ReadonlyMap<string, number | undefined>

async function operatorsAct(world: World): Promise<{ steps: Step<World>[]; requeues: Requeues }> {
  const found: Step<World>[] = []
  const requeues = new Map<string, number | undefined>()
  const seen = new Set<unknown>()
  for (const [at, operator] of world.operators.entries()) {
    // Two that know the same do the same.
    const same = operator.lag === undefined && operator.pass === undefined
    if (same && seen.has('same')) continue
    if (same) seen.add('same')
    found.push(...(await passesOf(world, at, operator, requeues)))
    if (operator.pass !== undefined) found.push(...(await goesOn(world, at, operator.pass)))
    for (const { metadata } of ofKind(viewOf(world, operator), 'clusterinstances')) {
      const next = runMemberPass(world, at, metadata.name ?? '')
      if (next !== world) found.push({ label: `${letter(world, at)}: pass of ${metadata.name}`, fair: true, next })
    }
  }
  return { steps: found, requeues }
}

const letter = ({ operators }: World, at: number): string =>
  operators.length === 1 ? 'operator' : `operator ${LETTERS[at]}`

async function passesOf(
  world: World,
  at: number,
  { gone, pass }: Operator,
  requeues: Map<string, number | undefined>,
): Promise<Step<World>[]> {
  const found: Step<World>[] = []
  for (const { metadata } of ofKind(viewOf(world, world.operators[at] as Operator), 'clusterleases')) {
    const { name = '', uid = '' } = metadata
    if (gone.includes(uid) || pass?.about === name) continue
    const run = (begin: Partial<Begin> = {}) => runLeasePass(world, at, { about: name, ...begin })
    const whole = await run()
    if (whole.writes.length === 0) requeues.set(name, whole.requeueAfterMs)
    const label = `${letter(world, at)}: pass of ${name}`
    found.push(...(whole.world === world ? [] : [fairStep(label, world, whole)]))
    found.push(...(await operatorCuts({ world, at, label, run, writes: whole.writes })))
  }
  return found
}

/** A write that landed has changed something (I12). */
function fairStep(label: string, world: World, { world: after, writes }: Ran): Step<World> {
  const idle = after.objects !== world.objects && encode(after) === encode(world)
  const next = blame(after, !idle, `I12: ${label} writes (${writes.map(say)}) and nothing has changed`)
  return { label: `${label}: ${writes.map(say).join(', ') || 'looks'}`, fair: true, next }
}

export function say({ verb, plural, name, body }: Request): string {
  const status = (body as { status?: { phase?: string; binding?: { instance?: { name: string } } } } | undefined)
    ?.status
  const chosen = status?.phase === 'Bound' ? undefined : status?.binding?.instance
  const what = chosen === undefined ? (status?.phase ?? '') : `intent for ${chosen.name}`
  return `${verb} ${plural} ${name}${what === '' ? '' : ` (${what})`}`
}

interface Cut {
  readonly world: World
  readonly at: number
  readonly label: string
  readonly writes: readonly Request[]
  /** It stands still before the first of them already. */
  readonly resumed?: boolean
  run(begin: Partial<Begin>): Promise<Ran>
}

/** The operator stands still before, dies after, or loses the answer of any write. */
async function operatorCuts({ world, at, label, writes, run, resumed }: Cut): Promise<Step<World>[]> {
  const { budget, config } = world
  if (config.faulty?.includes('operator') === false) return []
  const found: Step<World>[] = []
  for (const [write, request] of writes.entries()) {
    const mayPause = world.operators[at]?.pass === undefined && !(resumed === true && write === 0)
    if (budget.pauses > 0 && mayPause) {
      const { world: half, suspended } = await run({ fault: { kind: 'before', write } })
      if (suspended !== undefined) {
        const next = spend(withPass(half, at, suspended), 'pauses')
        found.push({ label: `${label}: stands still before ${say(request)}`, fair: false, next })
      }
    }
    if (budget.crashes > 0) {
      const { world: half } = await run({ fault: { kind: 'after', write } })
      const next = spend(withOperator(half, at, RESTARTED), 'crashes')
      found.push({ label: `${label}: dies after ${say(request)}`, fair: false, next })
    }
    if (budget.lostAnswers > 0) {
      const { world: half } = await run({ fault: { kind: 'lose', write } })
      const next = spend(half, 'lostAnswers')
      found.push({ label: `${label}: the answer is lost of ${say(request)}`, fair: false, next })
    }
  }
  return found
}

const withPass = (world: World, at: number, pass: Suspended): World =>
  withOperator(world, at, { ...(world.operators[at] as Operator), pass })

const withoutPass = (world: World, at: number): World => {
  const { pass: _done, ...operator } = world.operators[at] as Operator
  return withOperator(world, at, operator)
}

async function goesOn(world: World, at: number, pass: Suspended): Promise<Step<World>[]> {
  const free = withoutPass(world, at)
  const run = (begin: Partial<Begin> = {}) => runLeasePass(free, at, { about: pass.about, from: pass, ...begin })
  const label = `${letter(world, at)}: pass of ${pass.about} goes on`
  const whole = await run()
  const step = { label: `${label}: ${whole.writes.map(say).join(', ')}`, fair: true, next: whole.world }
  return [step, ...(await operatorCuts({ world: free, at, label, run, writes: whole.writes, resumed: true }))]
}

async function callsGoOn(world: World): Promise<Step<World>[]> {
  const found: Step<World>[] = []
  for (const [at, call] of world.calls.entries()) {
    const free = { ...world, calls: world.calls.filter((_, index) => index !== at) }
    const { world: next, writes } = await runAsk(free, Number(call.about), { about: call.about, from: call })
    found.push({ label: `ask ${call.about} goes on: ${writes.map(say).join(', ')}`, fair: true, next })
  }
  return found
}

function caughtUp(world: World): Step<World>[] {
  return world.operators.flatMap((operator, at) => {
    const { lag, ...rest } = operator
    if (lag === undefined) return []
    const next = withOperator(world, at, { ...rest, gone: [] })
    return [{ label: `${letter(world, at)}: the watch of ${lag.kind} catches up`, fair: true, next }]
  })
}

/** What is torn down goes, and the pool keeps its size. */
function membersMove(world: World): Step<World>[] {
  const members = membersOf(world)
  const found: Step<World>[] = []
  for (const { metadata, status } of members) {
    if (status?.phase !== 'Recycling') continue
    found.push({ label: `${metadata.name} is gone`, fair: true, next: torndown(world, metadata.name ?? '') })
  }
  if (members.length < world.config.members)
    found.push({ label: 'a new member is Ready', fair: true, next: newMember(world) })
  return found
}

function torndown(world: World, name: string): World {
  const objects = new Map(world.objects)
  const key = keyOf('clusterinstances', name)
  const instance = objects.get(key)
  if (instance === undefined) return world
  objects.set(key, { ...instance, metadata: { ...instance.metadata, finalizers: [] } })
  return remove({ ...world, objects }, CLUSTER_INSTANCES, name, {}).world
}

export function newMember(world: World): World {
  const { metadata, ...rest } = aReady({ n: world.serial + 1, createdAt: world.now })
  return create(world, CLUSTER_INSTANCES, { ...rest, metadata }).world
}

/** One tick. A lag never lasts as long; whatever is under way is quicker, unless the world is slow for once. */
async function timePasses(world: World, busy: boolean, requeues: Requeues): Promise<Step<World> | undefined> {
  const { operators, calls, budget } = world
  if (calls.length > 0 || operators.some(({ lag, pass }) => lag !== undefined || pass !== undefined)) return undefined
  if (busy && budget.slow === 0) return undefined
  const later = { ...world, now: world.now + TICK_MS }
  if (busy) return { label: 'time passes, too early', fair: false, next: spend(later, 'slow') }
  return { label: 'time passes', fair: true, next: await judgeSleep(judgeQuiet(world, later), later, requeues) }
}

/** Whoever acts when time has passed has asked to be woken. */
async function judgeSleep(judged: World, later: World, requeues: Requeues): Promise<World> {
  let next = judged
  for (const { metadata } of leasesOf(later)) {
    const name = metadata.name ?? ''
    const { writes } = await runLeasePass(later, 0, { about: name })
    const asked = requeues.get(name)
    const woken = writes.length === 0 || (asked !== undefined && asked <= TICK_MS)
    next = blame(next, woken, `Wake: the pass of ${name} acts later, and does not ask to be woken`)
  }
  return next
}

/** What people do, and what breaks: each as often as the budget of the world allows. */
import { CLUSTER_INSTANCES, CLUSTER_LEASES } from '../../../src/api/v1alpha1/resources.ts'
import type { LeaseWrites } from '../../../src/http/leases/lease-writes.ts'
import type { Step } from '../engine/model.ts'
import { remove } from './api-server.ts'
import { runAsk, runWrite } from './calls.ts'
import type { Budget } from './config.ts'
import type { Begin } from './operator-pass.ts'
import { RESTARTED, say } from './steps.ts'
import { leasesOf, membersOf, spend, type World, withOperator } from './world.ts'

export async function disturbances(world: World): Promise<Step<World>[]> {
  return [
    ...(await asks(world)),
    ...(await writes(world, 'release', 'releases')),
    ...(await writes(world, 'extend', 'extensions')),
    ...(await writes(world, 'heartbeat', 'heartbeats')),
    ...lags(world),
    ...deletes(world),
    ...restarts(world),
  ]
}

const disturbance = (label: string, next: World): Step<World> => ({ label, fair: false, next })

async function asks(world: World): Promise<Step<World>[]> {
  const { sent, config, budget } = world
  const ask = config.asks[sent]
  if (ask === undefined) return []
  const start = { ...world, sent: sent + 1 }
  const about = String(sent)
  const run = (begin: Partial<Begin> = {}) => runAsk(start, sent, { about, ...begin })
  const label = `${ask.by} asks${ask.key === undefined ? '' : ` with key ${ask.key}`}${ask.direct ? ' by kubectl' : ''}`
  const whole = await run()
  const found = [disturbance(`${label}: ${whole.writes.map(say).join(', ')}`, whole.world)]
  if (config.faulty?.includes('replica') === false) return found
  for (const [write, request] of whole.writes.entries()) {
    if (budget.pauses > 0) {
      const { world: half, suspended } = await run({ fault: { kind: 'before', write } })
      const calls = suspended === undefined ? half.calls : [...half.calls, suspended]
      found.push(disturbance(`${label}: stands still before ${say(request)}`, spend({ ...half, calls }, 'pauses')))
    }
    if (budget.crashes > 0) {
      const { world: half } = await run({ fault: { kind: 'after', write } })
      found.push(disturbance(`${label}: the replica dies after ${say(request)}`, spend(half, 'crashes')))
    }
    if (budget.lostAnswers > 0) {
      const { world: half } = await run({ fault: { kind: 'lose', write } })
      found.push(disturbance(`${label}: the answer is lost of ${say(request)}`, spend(half, 'lostAnswers')))
    }
  }
  return found
}

async function writes(world: World, verb: keyof LeaseWrites, what: keyof Budget): Promise<Step<World>[]> {
  if (world.budget[what] === 0) return []
  const found: Step<World>[] = []
  for (const lease of leasesOf(world)) {
    const next = await runWrite(world, lease, verb)
    if (next !== world) found.push(disturbance(`${verb} of ${lease.metadata.name}`, spend(next, what)))
  }
  return found
}

function lags(world: World): Step<World>[] {
  if (world.budget.lags === 0) return []
  return world.operators.flatMap((operator, at) => {
    if (operator.lag !== undefined) return []
    return (world.config.lagging ?? (['clusterleases', 'clusterinstances'] as const)).map((kind) => {
      const next = withOperator(world, at, { ...operator, lag: { kind, seen: world.objects } })
      return disturbance(`the watch of ${kind} lags at operator ${at}`, spend(next, 'lags'))
    })
  })
}

function deletes(world: World): Step<World>[] {
  if (world.budget.deletes === 0) return []
  const kinds = world.config.deletes ?? ['lease', 'member']
  const leases = kinds.includes('lease') ? leasesOf(world) : []
  const members = kinds.includes('member') ? membersOf(world) : []
  return [
    ...leases.map((object) => ({ object, type: CLUSTER_LEASES })),
    ...members.map((object) => ({ object, type: CLUSTER_INSTANCES })),
  ]
    .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
    .map(({ object: { metadata }, type }) => {
      const next = remove(world, type, metadata.name ?? '', {}).world
      return disturbance(`${metadata.name} is deleted by hand`, spend(next, 'deletes'))
    })
}

/** Where nothing stands still and nothing lags, a restart forgets nothing. */
function restarts(world: World): Step<World>[] {
  if (world.budget.crashes === 0) return []
  return world.operators.flatMap((operator, at) => {
    if (operator.lag === undefined && operator.pass === undefined) return []
    return [disturbance(`operator ${at} restarts`, spend(withOperator(world, at, RESTARTED), 'crashes'))]
  })
}

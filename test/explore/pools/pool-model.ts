/** The pool world as a model for the explorer. */
import { aPool } from '../../../src/core/testing/builders.ts'
import type { Model } from '../engine/model.ts'
import type { WorldConfig } from './config.ts'
import { encode } from './encode.ts'
import { stateViolations } from './invariants.ts'
import { atRest, ending, match } from './match.ts'
import { run } from './pass.ts'
import { passesOf, steps } from './steps.ts'
import { type Budget, EMPTY_MEMORY, START, type World } from './world.ts'
import { FAILURE_THRESHOLD } from './writes.ts'

const NOTHING: Budget = {
  claims: 0,
  releases: 0,
  edits: 0,
  crashes: 0,
  lostAnswers: 0,
  pauses: 0,
  lags: 0,
  failures: 0,
  sickness: 0,
  deletes: 0,
  slow: 0,
}

export function poolModel(config: WorldConfig): Model<World> {
  return {
    name: config.name,
    initial: () => initial(config),
    steps,
    encode,
    violations: (world) => [...world.violations, ...stateViolations(world)],
    match,
    atRest: (world) => atRest(world, (given) => passesOf(given).map(({ pass }) => pass), settleOnce),
    ending,
  }
}

function initial(config: WorldConfig): World {
  const pool = aPool({
    cluster: { version: 'v1', servers: 1, serverArgs: [] },
    healthCheck: { intervalSeconds: 30, failureThreshold: FAILURE_THRESHOLD },
    ...config.spec,
  })
  const world: World = {
    config,
    now: START,
    serial: 1,
    pool: { ...pool, metadata: { ...pool.metadata, resourceVersion: '1', finalizers: [] } },
    instances: [],
    leases: [],
    clusters: new Map(),
    kubeconfigs: [],
    tokens: [],
    memory: EMPTY_MEMORY,
    budget: NOTHING,
    used: [],
    violations: [],
  }
  const ready = config.filled === false ? world : undisturbed(world)
  return { ...ready, budget: { ...NOTHING, ...config.budget } }
}

/** Fair steps until nothing changes any more. */
export function undisturbed(world: World, onStep: (label: string, world: World) => void = () => undefined): World {
  let state = world
  for (let count = 0; count < 1_000; count += 1) {
    const step = [...steps(state)].find(({ fair, next }) => fair && encode(next) !== encode(state))
    if (step === undefined) return state
    state = step.next
    onStep(step.label, state)
  }
  throw new Error('the world does not come to rest')
}

function settleOnce(world: World): World {
  let state = world
  for (const { pass } of passesOf(world)) {
    const again = passesOf(state).find(
      (other) => other.pass.controller === pass.controller && other.pass.name === pass.name,
    )
    if (again !== undefined) state = run(again.world, again.pass).world
  }
  return state
}

/** The world of leases as a model for the explorer. */

import type { AccessPolicy } from '../../../src/api/v1alpha1/access-policy.ts'
import { ACCESS_POLICIES, CLUSTER_POOLS } from '../../../src/api/v1alpha1/resources.ts'
import { aPool, HASH_A, scaling } from '../../../src/core/testing/builders.ts'
import type { WaitingModel } from '../engine/model.ts'
import { START } from '../pools/world.ts'
import { create } from './api-server.ts'
import type { Budget, WorldConfig } from './config.ts'
import { encode } from './encode.ts'
import { PEOPLE, stateViolations } from './invariants.ts'
import { ending, match } from './match.ts'
import { newMember, RESTARTED, steps } from './steps.ts'
import { NAMESPACE, type World } from './world.ts'

const NOTHING: Budget = {
  pauses: 0,
  crashes: 0,
  lostAnswers: 0,
  lags: 0,
  releases: 0,
  extensions: 0,
  heartbeats: 0,
  deletes: 0,
  slow: 0,
}

export function leaseModel(config: WorldConfig): WaitingModel<World> {
  return {
    name: config.name,
    initial: () => initial(config),
    steps,
    encode,
    violations: (world) => [...world.violations, ...stateViolations(world)],
    match,
    atRest: () => [],
    ending,
  }
}

function initial(config: WorldConfig): World {
  let world: World = {
    config,
    now: START,
    serial: 100,
    objects: new Map(),
    operators: Array.from({ length: config.operators ?? 1 }, () => RESTARTED),
    calls: [],
    sent: 0,
    budget: { ...NOTHING, ...config.budget },
    used: [],
    answered: new Map(),
    violations: [],
  }
  const queueTimeout = config.queueTimeout === true ? '10m' : '8760h'
  const pool = aPool({ scaling: scaling({ minReady: config.members, maxClusters: config.members, queueTimeout }) })
  world = create(world, CLUSTER_POOLS, { ...pool, status: { currentSpecHash: HASH_A } } as typeof pool).world
  for (const name of PEOPLE) world = create(world, ACCESS_POLICIES, policy(config, name)).world
  for (let count = 0; count < config.members; count += 1) world = newMember(world)
  return world
}

function policy({ caps, expires, maxExtensions = 1 }: WorldConfig, name: (typeof PEOPLE)[number]): AccessPolicy {
  const rule = {
    pools: ['*'],
    maxTtl: expires === true ? '30m' : '8760h',
    maxConcurrentLeases: caps?.[name] ?? 9,
    maxExtensions,
  }
  const auth = { token: { secretRef: name } }
  return { metadata: { name, namespace: NAMESPACE }, spec: { auth, identity: name, rules: [rule] } }
}

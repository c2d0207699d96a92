/** What can be explored: a list of worlds for each subject. */
import { type Bounds, explore } from './engine/explore.ts'
import type { Exploration } from './engine/model.ts'
import { leaseModel } from './leases/lease-model.ts'
import { LEASE_WORLDS } from './leases/worlds.ts'
import { nodesModel } from './nodes/nodes-model.ts'
import { NODE_WORLDS } from './nodes/worlds.ts'
import { poolModel } from './pools/pool-model.ts'
import { WORLDS } from './pools/worlds.ts'

/** The worlds of each subject, by name. */
export const SUBJECTS: ReadonlyMap<string, readonly string[]> = new Map([
  ['pools', WORLDS.map(({ name }) => name)],
  ['leases', LEASE_WORLDS.map(({ name }) => name)],
  ['nodes', NODE_WORLDS.map(({ name }) => name)],
])

/** Explores the world of that name, of whatever subject. */
export async function exploreNamed(name: string, bounds: Bounds): Promise<Exploration> {
  const pool = WORLDS.find((world) => world.name === name)
  const leases = LEASE_WORLDS.find((world) => world.name === name)
  if (pool !== undefined) return await explore(poolModel(pool), bounds)
  if (leases !== undefined) return await explore(leaseModel(leases), bounds)
  const nodes = NODE_WORLDS.find((world) => world.name === name)
  if (nodes !== undefined) return await explore(nodesModel(nodes), bounds)
  throw new RangeError(`there is no world ${name}`)
}

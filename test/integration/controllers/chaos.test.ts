/**
 * Users, stale caches and crashes at random: watches of the operator are held back, answers are lost, the operator dies.
 * Invariants hold at every state of the world, and once the trouble ends the pools are what their specs say.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/kube/clock.ts'
import { isKubeError } from '../../../src/kube/errors.ts'
import {
  createOperatorWorld,
  type OperatorWorld,
  startWorldHost,
  type WorldHost,
} from '../../support/operator-world.ts'
import { seededRandom } from '../../support/seeded-random.ts'

let host: WorldHost
beforeAll(async () => {
  host = await startWorldHost()
})
afterAll(() => host.stop())

type Random = () => number

/** How long a trouble lasts: nothing is waited for. */
const pause = (ms: number): Promise<void> => systemClock.after(ms)

/** Holds back what the operator is told of one kind after the other. */
async function staleCaches(world: OperatorWorld, random: Random, over: AbortSignal): Promise<void> {
  const kinds = ['ClusterInstance', 'ClusterLease', 'ClusterPool', 'Secret']
  while (!over.aborted) {
    const kind = kinds[Math.floor(random() * kinds.length)]!
    const show = world.operator().client.holdWatch(kind)
    await pause(random() * 60)
    show()
    await pause(random() * 20)
  }
}

async function crashes(world: OperatorWorld, random: Random, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await pause(100 + random() * 200)
    await world.operator().crash()
    await world.start()
  }
}

async function useMembers(world: OperatorWorld, pool: string, random: Random, lives: number): Promise<void> {
  for (let count = 0; count < lives; count += 1) {
    const made = await world.makeLease(pool)
    const name = made.metadata.name!
    if (random() < 0.8) await world.untilBound(name)
    await pause(random() * 30)
    await endLease(world, name)
  }
}

/** The operator writes to it too. */
async function endLease(world: OperatorWorld, name: string): Promise<void> {
  try {
    await world.release(name)
  } catch (error) {
    if (isKubeError(error, 'Conflict')) return endLease(world, name)
    throw error
  }
}

async function changeTemplates(world: OperatorWorld, pool: string, random: Random): Promise<void> {
  for (const version of ['v1.36.0', 'v1.34.0', 'v1.36.0']) {
    await pause(random() * 300)
    await world.patchPool(pool, { cluster: { version } })
  }
}

const untilSettled = (world: OperatorWorld, pool: string, size: number) =>
  world.until(`${pool} has ${size} Ready members of the last template and no others`, () => {
    const ready = world.inPhase(pool, 'Ready')
    const current = ready.filter(({ status }) => status?.createdWith?.cluster?.version === 'v1.36.0')
    return current.length === size && world.members(pool).length === size
  })

async function live(
  world: OperatorWorld,
  random: Random,
  trouble: (over: AbortSignal) => Promise<void>,
): Promise<void> {
  await world.makePool('a', { size: 3, upgradePolicy: { maxRecycling: 2, minReadyDuringUpgrade: 1 } })
  await world.makePool('b', { size: 2 })
  await world.untilWarm('a', 3)
  await world.untilWarm('b', 2)
  world.history.floor('a', 1)
  world.history.floor('b', 2)
  const over = new AbortController()
  const troubled = trouble(over.signal)
  try {
    await Promise.all([
      ...['a', 'a', 'a', 'b', 'b'].map((pool) => useMembers(world, pool, random, 4)),
      changeTemplates(world, 'a', random),
      changeTemplates(world, 'b', random),
    ])
  } finally {
    over.abort()
    await troubled
  }
  await untilSettled(world, 'a', 3)
  await untilSettled(world, 'b', 2)
  await world.until('no lease is left', () => world.caches.leases.list().length === 0)
  await world.until('no Secret is left but those of the members', () => world.caches.secrets.list().length === 5)
  expect(world.backend.world.size).toBe(5)
  expect(world.history.violations).toEqual([])
  for (const instances of world.history.bindings.values()) expect(instances).toHaveLength(1)
}

describe('whatever happens', () => {
  for (const seed of [1, 2, 3]) {
    it(`the invariants hold while caches are stale (seed ${seed})`, async () => {
      await using world = await createOperatorWorld(host, { backend: { provisionMs: 20, destroyMs: 20 } })
      const random = seededRandom(seed)
      await live(world, random, (over) => staleCaches(world, random, over))
    })

    it(`the invariants hold while the operator dies again and again (seed ${seed})`, async () => {
      await using world = await createOperatorWorld(host, { backend: { provisionMs: 20, destroyMs: 20 } })
      const random = seededRandom(seed)
      await live(world, random, (over) => crashes(world, random, over))
    })
  }
})

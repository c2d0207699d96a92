/**
 * The operator dies right before or right after each of its writes, or never learns that a write was done; a fresh one goes
 * on. Whatever the point: the same end, no member bound twice or used twice, nothing left in the backend.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Fault } from '../../support/faulty-client.ts'
import {
  createOperatorWorld,
  type OperatorWorld,
  startWorldHost,
  type WorldHost,
} from '../../support/operator-world.ts'

let host: WorldHost
beforeAll(async () => {
  host = await startWorldHost()
})
afterAll(() => host.stop())

const NEW = 'v1.36.0'

interface Outcome {
  readonly writes: number
  readonly lives: number
}

/** Starts a new operator whenever the present one has died. */
async function keepAlive(world: OperatorWorld, stopped: AbortSignal): Promise<number> {
  let lives = 1
  while (!stopped.aborted) {
    const { over } = world.operator()
    await new Promise<void>((resolve) => {
      AbortSignal.any([over, stopped]).addEventListener('abort', () => resolve())
      if (over.aborted || stopped.aborted) resolve()
    })
    if (stopped.aborted) return lives
    await world.operator().crash()
    await world.start()
    lives += 1
  }
  return lives
}

/** A pool of two, a lease, its release, a new template. */
async function scenario(world: OperatorWorld): Promise<void> {
  await world.makePool('a', { size: 2 })
  await world.untilWarm('a', 2)
  const lease = await world.makeLease('a')
  const name = lease.metadata.name!
  const member = (await world.untilBound(name)).status!.clusterName!
  await world.until('the pool is warm beside the lease', () => world.inPhase('a', 'Ready').length === 2)
  await world.release(name)
  await world.until('lease and member are gone', () => !world.lease(name) && !world.instance(member))
  await world.patchPool('a', { cluster: { version: NEW } })
  await world.until('the pool is rolled', () => {
    const ready = world.inPhase('a', 'Ready')
    const rolled = ready.filter(({ status }) => status?.createdWith?.cluster?.version === NEW)
    return rolled.length === 2 && world.members('a').length === 2
  })
  await world.until('its status says so', () => {
    const { status } = world.pool('a')!
    return status?.phase === 'Healthy' && status.ready === 2 && status.upgrade === undefined
  })
}

async function run(fault?: Fault): Promise<Outcome> {
  await using world = await createOperatorWorld(host, { ...(fault === undefined ? {} : { fault }), patienceMs: 30_000 })
  const first = world.operator()
  const stopped = new AbortController()
  const living = keepAlive(world, stopped.signal)
  try {
    await scenario(world)
  } finally {
    stopped.abort()
  }
  const lives = await living
  await world.until('no Secret is left but those of the members', () => world.caches.secrets.list().length === 2)
  const names = world.members('a').map(({ metadata }) => metadata.name!)
  expect([...world.backend.world.keys()].sort()).toEqual(names.sort())
  expect(world.history.violations).toEqual([])
  for (const instances of world.history.bindings.values()) expect(instances).toHaveLength(1)
  return { writes: first.client.writes.length, lives }
}

const AT_ONCE = 6

async function everyWrite(kind: Fault['kind']): Promise<string> {
  const { writes } = await run()
  const failures: string[] = []
  let next = 1
  let hit = 0
  const started = performance.now()
  const worker = async (): Promise<void> => {
    while (next <= writes) {
      const write = next++
      try {
        const { lives } = await run({ kind, write })
        if (kind === 'lost' || lives > 1) hit += 1
      } catch (error) {
        failures.push(`${kind} write ${write}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  expect(failures).toEqual([])
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  return `${kind}: ${writes} runs, ${hit} of them with the fault, in ${seconds} s`
}

const cases: [Fault['kind'], string][] = [
  ['before', 'the operator dies before any one of its writes'],
  ['after', 'the operator dies after any one of its writes'],
  ['lost', 'the answer of any one write is lost'],
]
for (const [kind, what] of cases) {
  it(`ends in the same state when ${what}`, { timeout: 180_000 }, async () => {
    process.stdout.write(`    ${await everyWrite(kind)}\n`)
  })
}

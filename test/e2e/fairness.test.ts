/**
 * One principal queues 50 leases, another 2: the second waits at most twice as long as it would alone. A wait is counted in
 * turns, the clusters that had to come free before: so the figures are the same on every machine.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFakeKobe, type FakeKobe, type FakeOperator } from '../support/fake-kobe/fake-kobe.ts'
import { eventually } from '../support/run.ts'
import { say } from '../support/say.ts'

/** Clusters of the pool. */
const PLACES = 2
const PROVISION_MS = 20

let kobe: FakeKobe
let operator: FakeOperator
const tokens = new Map<string, string>()
beforeAll(async () => {
  kobe = await createFakeKobe()
  operator = await kobe.start({ provisionMs: PROVISION_MS })
  for (const name of ['holder', 'heavy', 'light']) tokens.set(name, await kobe.makePrincipal(name))
  await eventually('everybody is known', 20_000, async () => {
    const answers = await Promise.all([...tokens.keys()].map((name) => call(name, 'GET', '/v1/leases')))
    return answers.every(({ status }) => status === 200)
  })
})
afterAll(() => kobe[Symbol.asyncDispose]())

const call = (who: string, method: string, path: string, body?: object) =>
  operator.call(method, path, body, { authorization: `Bearer ${tokens.get(who)}` })

async function ask(who: string, pool: string): Promise<Waiting> {
  const { status, body } = await call(who, 'POST', '/v1/leases', { profile: pool, ttl: '4h' })
  expect(status).toBe(202)
  return { who, id: body.id, asked: performance.now() }
}

interface Waiting {
  readonly who: string
  readonly id: string
  readonly asked: number
}

interface Served extends Waiting {
  /** Clusters that came free before, this one included. */
  readonly turns: number
  readonly ms: number
}

/** Gives clusters back one by one, the longest held first, until everybody of `until` has one. */
async function serve(held: Waiting[], queue: readonly Waiting[], until: string): Promise<Served[]> {
  const waiting = new Map(queue.map((lease) => [lease.id, lease]))
  const served: Served[] = []
  for (let turn = 1; [...waiting.values()].some(({ who }) => who === until); turn += 1) {
    const { who, id } = held.shift()!
    expect((await call(who, 'DELETE', `/v1/leases/${id}`)).status).toBe(204)
    const next = await eventually(`somebody gets a cluster in turn ${turn}`, 60_000, async () => {
      const lists = await Promise.all(['heavy', 'light'].map((name) => call(name, 'GET', '/v1/leases')))
      const bound = lists.flatMap(({ body }) => body).find(({ id, phase }) => phase === 'Bound' && waiting.has(id))
      return bound === undefined ? undefined : waiting.get(bound.id)
    })
    waiting.delete(next.id)
    held.push(next)
    served.push({ ...next, turns: turn, ms: performance.now() - next.asked })
  }
  return served
}

/** A pool whose clusters are all in use. */
async function fullPool(name: string): Promise<Waiting[]> {
  await kobe.makePool(name, { scaling: { minReady: PLACES, maxClusters: PLACES } })
  await kobe.untilReady(name, PLACES)
  const held: Waiting[] = []
  for (let place = 0; place < PLACES; place += 1) held.push(await ask('holder', name))
  await eventually('every cluster is in use', 30_000, async () => {
    const { body } = await call('holder', 'GET', '/v1/leases')
    return held.every(({ id }) => body.find((lease: { id: string }) => lease.id === id)?.phase === 'Bound')
  })
  return held
}

const ofLight = (served: readonly Served[]) => served.filter(({ who }) => who === 'light')
const figures = (served: readonly Served[]) =>
  served.map(({ turns, ms }) => `${turns} turns (${Math.round(ms)} ms)`).join(', ')

test('who queues 2 behind 50 of another waits at most twice as long as alone', { timeout: 180_000 }, async () => {
  const alone = await fullPool('alone')
  const lone = ofLight(await serve(alone, [await ask('light', 'alone'), await ask('light', 'alone')], 'light'))

  const shared = await fullPool('shared')
  const queue: Waiting[] = []
  for (let index = 0; index < 50; index += 1) queue.push(await ask('heavy', 'shared'))
  for (let index = 0; index < 2; index += 1) queue.push(await ask('light', 'shared'))
  const behind = ofLight(await serve(shared, queue, 'light'))

  say(`alone:            ${figures(lone)}`, `behind 50 others: ${figures(behind)}`)
  expect(lone.map(({ turns }) => turns)).toEqual([1, 2])
  expect(behind).toHaveLength(2)
  for (const [index, { turns }] of behind.entries()) expect(turns).toBeLessThanOrEqual(2 * lone[index]!.turns)

  const { body } = await call('heavy', 'GET', '/v1/leases')
  const places = body.filter(({ phase }: { phase: string }) => phase === 'Pending').map(placeOf)
  expect(places).not.toContain(undefined)
})

const placeOf = ({ queue_position: place }: { queue_position?: number }) => place

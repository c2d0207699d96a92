/**
 * The operator dies right after each of its writes; a fresh one goes on. Whatever the point: the same end, no member bound twice
 * or used twice, nothing left in the backend. Two short scenarios; `npm run explore -- crash` tells all of them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tellWithEveryFault } from '../../explore/crash/crash-run.ts'
import { crashScenario } from '../../explore/crash/scenarios.ts'
import { startWorldHost, type WorldHost } from '../../support/operator-world.ts'

let host: WorldHost
beforeAll(async () => {
  host = await startWorldHost()
})
afterAll(() => host.stop())

for (const name of ['a pool fills', 'a lease is bound, released and its member replaced']) {
  test(`${name}: the same end when the operator dies after any one of its writes`, { timeout: 300_000 }, async () => {
    const { failures, runs, hit } = await tellWithEveryFault(host, crashScenario(name), 'after')
    expect(failures).toEqual([])
    expect(hit).toBeGreaterThan(runs / 2)
  })
}

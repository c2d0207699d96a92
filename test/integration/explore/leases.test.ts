import { describe, expect, test } from 'vitest'
import { explore } from '../../explore/engine/explore.ts'
import { leaseModel } from '../../explore/leases/lease-model.ts'
import { SMALL_LEASE_WORLDS } from '../../explore/leases/worlds.ts'
import { LEASE_DEFECTS } from '../../explore/mutants/lease-defects.ts'
import { exploreIn } from '../../explore/run-worlds.ts'

/** The larger one is for `npm run explore`. */
const quick = SMALL_LEASE_WORLDS.filter(({ name }) => name !== 'lease-lag-new')

describe('every reachable state of small queues', () => {
  test.for(quick)('$name: nothing is violated, and the wish is reached from every state', async (config) => {
    const { violations, complete, esr, states } = await explore(leaseModel(config))
    expect(violations).toEqual([])
    expect({ complete, esr }).toEqual({ complete: true, esr: true })
    expect(states).toBeGreaterThan(10)
  })
})

describe('planted defects', () => {
  const sample = [
    'a reservation that was lost is taken for won',
    'admitted requests whose lease is not there yet do not count',
  ]

  test.for(sample)('%s: is caught, with the way to it', async (name) => {
    const defect = LEASE_DEFECTS.find((candidate) => candidate.name === name)!
    const answers = await exploreIn(defect.worlds.map((world) => ({ world, maxStates: 5_000, defect })))
    const [violation] = answers.at(-1)!.exploration.violations
    expect(violation?.message).toMatch(new RegExp(`^${defect.breaks}: `))
    expect(violation!.trace.length).toBeGreaterThan(0)
  })

  test('every invariant of leases has one', () => {
    const broken = new Set(LEASE_DEFECTS.map(({ breaks }) => breaks))
    const all = ['I1', 'I2', 'I3', 'I6', 'I7', 'I8', 'I10', 'I11', 'ESR', 'Wake', 'Extension']
    expect(all.filter((rule) => !broken.has(rule))).toEqual([])
  })
})

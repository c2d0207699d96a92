import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaling } from '../../../src/core/testing/builders.ts'
import type { WorldConfig } from '../../explore/pools/config.ts'
import { poolModel, undisturbed } from '../../explore/pools/pool-model.ts'
import type { World } from '../../explore/pools/world.ts'

const budget = {
  claims: 4,
  releases: 4,
  edits: 4,
  crashes: 2,
  lostAnswers: 1,
  pauses: 3,
  failures: 2,
  sickness: 2,
  deletes: 1,
  slow: 3,
}

const anyPool: fc.Arbitrary<WorldConfig> = fc
  .record({
    size: fc.integer({ min: 1, max: 5 }),
    scales: fc.boolean(),
    room: fc.integer({ min: 0, max: 3 }),
    maxSurge: fc.integer({ min: 0, max: 2 }),
    maxRecycling: fc.integer({ min: 1, max: 2 }),
    floorShare: fc.double({ min: 0, max: 1, noNaN: true }),
    leasesExpire: fc.boolean(),
  })
  .map(({ size, scales, room, floorShare, leasesExpire, ...policy }) => ({
    name: 'random',
    spec: {
      ...(scales ? { scaling: scaling({ minReady: size, maxClusters: size + room }) } : { size }),
      upgradePolicy: { ...policy, minReadyDuringUpgrade: Math.floor(floorShare * size) },
    },
    leasesExpire,
    budget,
    edits: ['v1', 'v2', 'bad'],
    filled: false,
  }))

/** Goes where the numbers lead; answers the last state and the way there. */
function walk(
  config: WorldConfig,
  choices: readonly number[],
): { world: World; way: string[]; wrong: readonly string[] } {
  const model = poolModel(config)
  let world = model.initial()
  const way: string[] = []
  for (const choice of choices) {
    const steps = [...model.steps(world)]
    const step = steps[choice % Math.max(1, steps.length)]
    if (step === undefined) break
    way.push(step.label)
    world = step.next
    const wrong = model.violations(world)
    if (wrong.length > 0) return { world, way, wrong }
  }
  return { world, way, wrong: [] }
}

/** Faults stop, and the last template is one that comes up. */
function calm(world: World): World {
  const good =
    world.pool === undefined
      ? undefined
      : { ...world.pool.spec, cluster: { ...world.pool.spec.cluster, version: 'v2' } }
  const pool =
    world.pool === undefined || good === undefined
      ? undefined
      : { ...world.pool, spec: good, metadata: { ...world.pool.metadata, generation: 99, resourceVersion: 'edited' } }
  const nothing = Object.fromEntries(Object.keys(world.budget).map((key) => [key, 0])) as unknown as World['budget']
  return { ...world, pool, budget: nothing }
}

describe('pools in which anything happens in any order', () => {
  test.for([1, 2, 3])(
    'I1 to I9, I12 and I14 hold in every step, and the wish is reached after it (seed %i)',
    (seed) => {
      fc.assert(
        fc.property(anyPool, fc.array(fc.nat(10_000), { minLength: 20, maxLength: 120 }), (config, choices) => {
          const { world, way, wrong } = walk(config, choices)
          expect(wrong, way.join('\n')).toEqual([])
          const model = poolModel(config)
          const labels: string[] = []
          const rested = undisturbed(calm(world), (label) => labels.push(label))
          expect(model.violations(rested), [...way, '--', ...labels].join('\n')).toEqual([])
          expect(model.match(rested), [...way, '--', ...labels].join('\n')).toBe('yes')
          expect(model.atRest(rested), way.join('\n')).toEqual([])
        }),
        { seed, numRuns: 60 },
      )
    },
  )
})

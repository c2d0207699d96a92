import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { explore } from '../../explore/engine/explore.ts'
import { DEFECTS } from '../../explore/mutants/defects.ts'
import { poolModel } from '../../explore/pools/pool-model.ts'
import { SMALL_WORLDS, worldNamed } from '../../explore/pools/worlds.ts'
import { exploreIn } from '../../explore/run-worlds.ts'

/** The larger ones are for `npm run explore`. */
const LARGE = new Set(['small-roll-leased', 'small-roll-ceiling', 'small-roll-back'])
const quick = SMALL_WORLDS.filter(({ name }) => !LARGE.has(name))

describe('every reachable state of small pools', () => {
  test.for(quick)('$name: nothing is violated, and the wish is reached from every state', async (config) => {
    const { violations, complete, esr, states } = await explore(poolModel(config))
    expect(violations).toEqual([])
    expect({ complete, esr }).toEqual({ complete: true, esr: true })
    expect(states).toBeGreaterThan(10)
  })

  test('two searches see the same states in the same order', async () => {
    const searched = async () => {
      const { milliseconds: _time, ...rest } = await explore(poolModel(worldNamed('small-lease-crash')))
      return rest
    }
    expect(await searched()).toEqual(await searched())
  })
})

describe('planted defects', () => {
  const sample = [
    'the floor does not hold back a drift recycle',
    'a used member is offered again',
    'a leased member is missing from the counts',
  ]

  test.for(sample)('%s: is caught, with the way to it', async (name) => {
    const defect = DEFECTS.find((candidate) => candidate.name === name)!
    const answers = await exploreIn(defect.worlds.map((world) => ({ world, maxStates: 5_000, defect })))
    const [violation] = answers.at(-1)!.exploration.violations
    expect(violation?.message).toMatch(new RegExp(`^${defect.breaks}: `))
    expect(violation!.trace.length).toBeGreaterThan(0)
  })

  test.for(DEFECTS)('$name: its text occurs once in its file', ({ file, find }) => {
    const source = readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')
    expect(source.split(find)).toHaveLength(2)
  })

  test('each is named once, and no rule or invariant of the pools is without one', () => {
    expect(new Set(DEFECTS.map(({ name }) => name)).size).toBe(DEFECTS.length)
    const broken = new Set(DEFECTS.map(({ breaks }) => breaks))
    const all = [
      'R0',
      'R1',
      'R2',
      'R3',
      'R4',
      'R5',
      'R6',
      'R7',
      'I1',
      'I2',
      'I3',
      'I4',
      'I5',
      'I6',
      'I7',
      'I8',
      'I9',
      'I12',
      'I13',
      'I14',
    ]
    expect(all.filter((rule) => !broken.has(rule))).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import { explore } from '../../explore/engine/explore.ts'
import { NODE_DEFECTS } from '../../explore/mutants/node-defects.ts'
import { nodesModel } from '../../explore/nodes/nodes-model.ts'
import { SMALL_NODE_WORLDS } from '../../explore/nodes/worlds.ts'
import { exploreIn } from '../../explore/run-worlds.ts'

/** The larger ones are for `npm run explore -- nodes`. */
const QUICK = new Set([
  'nodes-roll',
  'nodes-etcd',
  'nodes-crash',
  'nodes-no-room',
  'nodes-drain-one-of-two',
  'nodes-cordoned-before',
  'nodes-stopped-two',
  'nodes-freeze',
  'nodes-delete',
  'nodes-storing',
  'nodes-only-worker',
])
const quick = SMALL_NODE_WORLDS.filter(({ name }) => QUICK.has(name))

describe('C30: every reachable state of small standing clusters', () => {
  test.for(quick)('$name: nothing is violated, and the wish is reached from every state', async (config) => {
    const { violations, complete, esr, states } = await explore(nodesModel(config))
    expect(violations).toEqual([])
    expect({ complete, esr }).toEqual({ complete: true, esr: true })
    expect(states).toBeGreaterThan(10)
  })
})

describe('defects planted in the planners of nodes', () => {
  test('a Ready of before the stop counts as a restart: it is caught, with the way to it', async () => {
    const defect = NODE_DEFECTS.find(({ name }) => name === 'a Ready of before the stop counts as a restart')!
    const answers = await exploreIn(defect.worlds.map((world) => ({ world, maxStates: 5_000, defect })))
    const [violation] = answers.at(-1)!.exploration.violations
    expect(violation?.message).toMatch(/^N6: /)
    expect(violation!.trace.length).toBeGreaterThan(0)
  })

  test('each is named once, and no invariant of the nodes is without one', () => {
    expect(new Set(NODE_DEFECTS.map(({ name }) => name)).size).toBe(NODE_DEFECTS.length)
    const broken = new Set(NODE_DEFECTS.map(({ breaks }) => breaks))
    // N5, that releasing twice is releasing once, is what I12 and the crashes of every world ask for.
    expect(['N1', 'N2', 'N3', 'N4', 'N6', 'N7', 'N8', 'I12'].filter((rule) => !broken.has(rule))).toEqual([])
  })
})

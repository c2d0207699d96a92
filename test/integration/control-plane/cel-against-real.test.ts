/**
 * Validation rules, case by case: what a real kube-apiserver answered is kept in a file; ours has to answer the same. With
 * the programs at hand the real one is asked again, and `vitest -u` records its answers anew.
 */
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { validateCrd } from '../../../src/control-plane/crd/validate-crd.ts'
import { hasRealPair, startRealPair } from '../../support/real-pair.ts'
import { callReal } from './cel/call-real.ts'
import { costDefinition } from './cel/cost-cases.ts'
import { KNOWN_DIFFERENCES } from './cel/known-differences.ts'
import { askCosts, costMessage, RECORDED_COSTS, recordedCosts } from './cel/recorded-costs.ts'
import { askAll, type Outcomes } from './cel/run-cases.ts'
import { startTestServer } from './harness.ts'

const RECORDED = new URL('./cel/recorded-answers.fixture.json', import.meta.url)

interface Recording {
  readonly version: string
  readonly outcomes: Outcomes
}

it('our server answers every case as the real one did', { timeout: 120_000 }, async () => {
  const { outcomes: recorded } = JSON.parse(await readFile(RECORDED, 'utf8')) as Recording
  const server = await startTestServer()
  try {
    const ours = await askAll((method, path, body) => server.call(method, path, body === undefined ? {} : { body }))
    const names = Object.keys(recorded)
    const different = names.filter((name) => JSON.stringify(ours[name]) !== JSON.stringify(recorded[name]))
    const surprising = different.filter((name) => KNOWN_DIFFERENCES[name] === undefined)
    expect(pick(ours, surprising)).toEqual(pick(recorded, surprising))
    // A difference that is gone leaves the list.
    expect(Object.keys(KNOWN_DIFFERENCES).sort()).toEqual(different.sort())
    expect(names.length).toBeGreaterThan(400)
    expect(server.errors).toEqual([])
  } finally {
    await server.close()
  }
})

it('our server estimates what rules could cost as the real one does', () => {
  const recorded = recordedCosts()
  const ours = Object.entries(recorded).map(([rule, { maxItems }]) => {
    return [rule, { maxItems, message: costMessage(validateCrd(costDefinition(rule, maxItems))) }]
  })
  expect(Object.fromEntries(ours)).toEqual(recorded)
  expect(ours.length).toBeGreaterThan(400)
})

it.skipIf(!hasRealPair)('a real kube-apiserver still answers as recorded', { timeout: 180_000 }, async () => {
  const pair = await startRealPair()
  const { call, close } = callReal(pair)
  try {
    const recording: Recording = {
      version: (await call('GET', '/version')).json.gitVersion,
      outcomes: await askAll(call),
    }
    await expect(`${JSON.stringify(recording, undefined, 1)}\n`).toMatchFileSnapshot(RECORDED.pathname)
    const costs = await askCosts(call)
    await expect(`${JSON.stringify(costs, undefined, 1)}\n`).toMatchFileSnapshot(RECORDED_COSTS.pathname)
  } finally {
    close()
    await pair.stop()
  }
})

function pick(outcomes: Outcomes, names: readonly string[]): Outcomes {
  return Object.fromEntries(names.flatMap((name) => (outcomes[name] === undefined ? [] : [[name, outcomes[name]]])))
}

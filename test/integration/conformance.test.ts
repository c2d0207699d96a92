/** Our answers are those that a real kube-apiserver was recorded to give, but for the differences that are documented. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compareScenario, readExpectedDifferences, surprises, type Verdict } from '../conformance/compare.ts'
import { identify } from '../conformance/record.ts'
import { SCENARIOS } from '../conformance/scenarios/index.ts'
import { type ServerUnderTest, startOurs } from '../conformance/servers.ts'
import { ROOT } from '../support/run.ts'

const DOCUMENT = join(ROOT, 'docs', 'reference', 'control-plane-differences.md')

let ours: ServerUnderTest
beforeAll(async () => {
  ours = await startOurs()
})
afterAll(async () => {
  await ours.stop()
})

describe('answers as a real kube-apiserver gives them', () => {
  const verdicts: Verdict[] = []

  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
    const found = await compareScenario(ours.endpoint, scenario)
    verdicts.push(...found)
    expect(surprises(found, await readExpectedDifferences())).toEqual([])
  })

  it('still differs where a difference is expected', async () => {
    const agreeing = verdicts.filter(({ differences }) => differences.length === 0)
    const known = new Set(agreeing.map(({ scenario, request }) => `${scenario} ${request}`))
    const stale = (await readExpectedDifferences()).filter(({ scenario, request }) =>
      known.has(`${scenario} ${request}`),
    )
    expect(stale).toEqual([])
  })

  it('agrees in at least 97 of 100 transcripts', () => {
    const agree = verdicts.filter(({ differences }) => differences.length === 0).length
    expect(agree / verdicts.length).toBeGreaterThanOrEqual(0.97)
  })
})

describe('the expected differences', () => {
  it('each have their reason in the documentation', async () => {
    const text = await readFile(DOCUMENT, 'utf8')
    const reasons = (await readExpectedDifferences()).map(({ reason }) => reason)
    expect(reasons.filter((reason) => !text.includes(reason))).toEqual([])
  })
})

it('never records its own answers', async () => {
  await expect(identify(ours.endpoint)).rejects.toThrow('is no kube-apiserver')
})

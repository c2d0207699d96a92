/** Sends scenarios to our server and compares its answers with the recorded ones. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { differences } from './differences.ts'
import { readRecording } from './recordings.ts'
import { runScenario } from './run-scenario.ts'
import type { Scenario } from './scenario.ts'
import type { Endpoint } from './transport.ts'

/** How one transcript compares. */
export interface Verdict {
  readonly scenario: string
  readonly request: string
  /** Empty: they agree. */
  readonly differences: readonly string[]
}

export interface ExpectedDifference {
  readonly scenario: string
  readonly request: string
  readonly reason: string
}

export async function compareScenario(endpoint: Endpoint, scenario: Scenario): Promise<Verdict[]> {
  const recording = await readRecording(scenario.name)
  if (recording === undefined)
    throw new Error(`${scenario.name} has not been recorded: npm run conformance -- --record`)
  const answered = await runScenario(endpoint, scenario)
  return recording.transcripts.map((recorded, index) => ({
    scenario: scenario.name,
    request: recorded.request,
    differences: differences(recorded, answered[index]),
  }))
}

export async function readExpectedDifferences(): Promise<ExpectedDifference[]> {
  return JSON.parse(await readFile(join(import.meta.dirname, 'expected-differences.json'), 'utf8'))
}

/** Those that differ though nobody expects it. */
export function surprises(verdicts: readonly Verdict[], expected: readonly ExpectedDifference[]): Verdict[] {
  const known = new Set(expected.map(({ scenario, request }) => `${scenario} ${request}`))
  return verdicts.filter(
    ({ scenario, request, differences: found }) => found.length > 0 && !known.has(`${scenario} ${request}`),
  )
}

/**
 * Compares the embedded control plane with the recorded answers of a real kube-apiserver.
 * `npm run conformance [-- --record] [-- scenario...]`; `--record` needs the real programs (`npm run assets`).
 */
import { parseArgs } from 'node:util'
import {
  compareScenario,
  type ExpectedDifference,
  readExpectedDifferences,
  surprises,
  type Verdict,
} from '../test/conformance/compare.ts'
import { record } from '../test/conformance/record.ts'
import { SCENARIOS } from '../test/conformance/scenarios/index.ts'
import { startOurs } from '../test/conformance/servers.ts'

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

async function compareAll(names: readonly string[]): Promise<Verdict[]> {
  const ours = await startOurs()
  const verdicts: Verdict[] = []
  try {
    for (const scenario of chosen(names)) verdicts.push(...(await compareScenario(ours.endpoint, scenario)))
  } finally {
    await ours.stop()
  }
  return verdicts
}

function chosen(names: readonly string[]) {
  const active = SCENARIOS.filter(({ switchedOff }) => switchedOff === undefined)
  return names.length === 0 ? active : active.filter(({ name }) => names.includes(name))
}

function print(verdicts: readonly Verdict[], expected: readonly ExpectedDifference[]): number {
  const reasons = new Map(expected.map(({ scenario, request, reason }) => [`${scenario} ${request}`, reason]))
  for (const verdict of verdicts) printVerdict(verdict, reasons)
  const agree = verdicts.filter(({ differences }) => differences.length === 0).length
  const share = ((100 * agree) / Math.max(1, verdicts.length)).toFixed(1)
  say(`\n${agree} of ${verdicts.length} transcripts agree (${share} %)`)
  const unexpected = surprises(verdicts, expected).length
  if (unexpected > 0) say(`${unexpected} differ that test/conformance/expected-differences.json does not list`)
  return unexpected > 0 ? 1 : 0
}

function printVerdict({ scenario, request, differences }: Verdict, reasons: ReadonlyMap<string, string>): void {
  if (differences.length === 0) return
  const reason = reasons.get(`${scenario} ${request}`)
  say(`\n${scenario}: ${request}${reason === undefined ? '' : ` (expected: ${reason})`}`)
  for (const difference of differences.slice(0, 12)) say(`  ${difference}`)
  if (differences.length > 12) say(`  ... ${differences.length - 12} more`)
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ options: { record: { type: 'boolean' } }, allowPositionals: true })
  if (values.record) await record(chosen(positionals), say)
  return print(await compareAll(positionals), await readExpectedDifferences())
}

process.exitCode = await main()

/** `npm run explore -- crash`: the operator dies after every single write of every scenario; the end must be the same (I13). */
import type { Fault } from '../../support/faulty-client.ts'
import { inParallel, workerAnswer } from '../run-worlds.ts'
import type { EveryWrite } from './crash-run.ts'
import { CRASH_SCENARIOS } from './scenarios.ts'

export interface CrashOptions {
  readonly lanes: number
  readonly json: boolean
  /** Default: all. */
  readonly scenarios?: readonly string[] | undefined
  readonly fault: Fault['kind']
}

export const FAULT_KINDS: readonly Fault['kind'][] = ['after', 'before', 'lost']

const WHAT: Readonly<Record<Fault['kind'], string>> = {
  after: 'a crash after each write',
  before: 'a crash before each write',
  lost: 'a lost answer to each write',
}

export async function runCrash({ lanes, json, scenarios, fault }: CrashOptions): Promise<number> {
  const names = scenarios ?? CRASH_SCENARIOS.map(({ name }) => name)
  const results = await inParallel(names, lanes, async (scenario) => {
    const worker = new URL('./crash-worker.ts', import.meta.url)
    const result = await workerAnswer<EveryWrite>(worker, { scenario, kind: fault })
    if (!json) say(result)
    return result
  })
  const runs = results.reduce((sum, result) => sum + result.runs, 0)
  const hit = results.reduce((sum, result) => sum + result.hit, 0)
  const failures = results.reduce((sum, result) => sum + result.failures.length, 0)
  if (json) console.log(JSON.stringify({ fault, scenarios: names.length, runs, hit, failures, results }, undefined, 2))
  else
    console.log(
      `\n${names.length} scenarios, ${WHAT[fault]}: ${runs} runs, ${hit} with the fault, ${failures} with another end`,
    )
  return failures === 0 ? 0 : 1
}

function say({ scenario, runs, hit, failures, milliseconds }: EveryWrite): void {
  const verdict = failures.length === 0 ? 'same end' : `${failures.length} OTHER ENDS`
  console.log(
    `${scenario.padEnd(66)}${String(runs).padStart(4)} runs ${String(hit).padStart(4)} hit  ${verdict}  ${(milliseconds / 1000).toFixed(1)} s`,
  )
  for (const failure of failures) console.log(`  ${failure}`)
}

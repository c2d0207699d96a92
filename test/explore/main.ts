/**
 * `npm run explore -- pools`: every reachable state of small worlds of one pool, its members and its leases.
 * `npm run explore -- leases`: of small queues, with two operators and the requests of two people.
 * `npm run explore -- nodes`: of small standing clusters whose nodes are rolled.
 * `npm run explore -- crash`: the operator dies after every single write of some scenarios, over a real API server.
 *   --scenario NAME only this one; may be given more than once
 *   --fault KIND    after (default), before: dies at each write; lost: never gets the answer to it
 * Options of all but the last:
 *   --mutants       instead: plant one defect after the other and see that each is caught
 *   --update        instead: write the golden logs anew
 *   --world NAME    only this world; may be given more than once
 *   --max-states N  stop a world after so many states (default: 600 000; then nothing is said about ESR)
 *   --json          one JSON object on standard output
 * Exit code 1 when anything is violated, a world is not complete, or a defect is not caught.
 */
import { parseArgs } from 'node:util'
import { FAULT_KINDS, runCrash } from './crash/run-crash.ts'
import type { Exploration } from './engine/model.ts'
import { SUBJECTS } from './models.ts'
import { DEFECTS } from './mutants/defects.ts'
import { NODE_DEFECTS } from './mutants/node-defects.ts'
import { runMutants } from './mutants/run-mutants.ts'
import { exploreIn, inParallel } from './run-worlds.ts'
import { updateGoldenLogs } from './sequences/update.ts'

const LANES = 2
const MAX_STATES = 600_000

export async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      mutants: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      world: { type: 'string', multiple: true },
      'max-states': { type: 'string' },
      scenario: { type: 'string', multiple: true },
      fault: { type: 'string', default: 'after' },
    },
  })
  if (positionals[0] === 'crash') return crash(values)
  const [subject = 'pools', ...more] = positionals
  const worlds = SUBJECTS.get(subject)
  if (worlds === undefined || more.length > 0) {
    console.error(`there is nothing to explore called ${positionals.join(' ')}: say pools, leases, nodes or crash`)
    return 2
  }
  if (values.mutants) {
    const defects = [...DEFECTS, ...NODE_DEFECTS].filter(
      (defect) => positionals.length === 0 || defect.worlds.some((name) => worlds.includes(name)),
    )
    return runMutants({ defects, lanes: LANES, json: values.json })
  }
  if (values.update) return updateGoldenLogs()
  const names = values.world ?? worlds
  return exploreAll(names, Number(values['max-states'] ?? MAX_STATES), values.json)
}

interface CrashValues {
  readonly scenario?: string[]
  readonly fault: string
  readonly json: boolean
}

async function crash({ scenario, fault, json }: CrashValues): Promise<number> {
  const kind = FAULT_KINDS.find((name) => name === fault)
  if (kind !== undefined) return await runCrash({ lanes: LANES, json, scenarios: scenario, fault: kind })
  console.error(`there is no fault called ${fault}: say ${FAULT_KINDS.join(', ')}`)
  return 2
}

async function exploreAll(names: readonly string[], maxStates: number, json: boolean): Promise<number> {
  const startedAt = performance.now()
  const explorations = await inParallel(names, LANES, async (world) => {
    const [answer] = await exploreIn([{ world, maxStates }])
    if (answer === undefined) throw new Error(`no answer for the world ${world}`)
    if (!json) console.log(line(answer.exploration))
    return answer.exploration
  })
  const summary = summaryOf(explorations, performance.now() - startedAt)
  if (json) console.log(JSON.stringify({ ...summary, worlds: explorations }, undefined, 2))
  else sayAll(explorations, summary)
  return summary.violations === 0 && summary.esr ? 0 : 1
}

function line({ model, states, transitions, depth, complete, violations, esr, milliseconds }: Exploration): string {
  const verdict = violations.length > 0 ? 'VIOLATED' : complete ? (esr ? 'ESR holds' : 'no ESR') : 'not complete'
  const numbers = [states, transitions].map((number) => number.toLocaleString('en').padStart(11))
  return `${model.padEnd(26)}${numbers[0]} states${numbers[1]} transitions  depth ${String(depth).padStart(3)}  ${verdict.padEnd(12)} ${(milliseconds / 1000).toFixed(1)} s`
}

interface Summary {
  readonly worldCount: number
  readonly states: number
  readonly transitions: number
  readonly violations: number
  readonly esr: boolean
  readonly seconds: number
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

const summaryOf = (explorations: readonly Exploration[], milliseconds: number): Summary => ({
  worldCount: explorations.length,
  states: total(explorations.map(({ states }) => states)),
  transitions: total(explorations.map(({ transitions }) => transitions)),
  violations: total(explorations.map(({ violations }) => violations.length)),
  esr: explorations.every(({ esr }) => esr),
  seconds: Math.round(milliseconds / 1000),
})

function sayAll(explorations: readonly Exploration[], summary: Summary): void {
  for (const { model, violations } of explorations) {
    for (const { message, trace } of violations) {
      console.log(`\n${model}: ${message}`)
      for (const [at, label] of trace.entries()) console.log(`  ${String(at + 1).padStart(3)}. ${label}`)
    }
  }
  const { worldCount, states, transitions, violations, esr, seconds } = summary
  const counts = `${worldCount} worlds, ${states.toLocaleString('en')} distinct states, ${transitions.toLocaleString('en')} transitions`
  console.log(`\n${counts}, ${violations} violations, ${esr ? 'ESR holds' : 'ESR does not hold'}, ${seconds} s`)
}

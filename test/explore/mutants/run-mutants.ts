/** Plants one defect after the other, each in a worker of its own, and says whether and how soon it is caught. */
import type { Violation } from '../engine/model.ts'
import { exploreIn, inParallel } from '../run-worlds.ts'
import type { PlantedDefect } from './planted-defect.ts'

/** A defect shows in small worlds or not at all. */
const MAX_STATES = 60_000

interface Verdict {
  readonly defect: PlantedDefect
  readonly world?: string
  readonly violation?: Violation
  readonly states: number
}

interface Mutants {
  readonly defects: readonly PlantedDefect[]
  readonly lanes: number
  readonly json: boolean
}

export async function runMutants({ defects, lanes, json }: Mutants): Promise<number> {
  const startedAt = performance.now()
  const verdicts = await inParallel(defects, lanes, async (defect) => {
    const verdict = await judge(defect)
    if (!json) say(verdict)
    return verdict
  })
  const caught = verdicts.filter(({ violation }) => violation !== undefined).length
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  if (json) console.log(JSON.stringify({ planted: defects.length, caught, seconds, verdicts }, undefined, 2))
  else console.log(`\n${caught} of ${defects.length} caught, ${seconds} s`)
  return caught === defects.length ? 0 : 1
}

async function judge(defect: PlantedDefect): Promise<Verdict> {
  const answers = await exploreIn(defect.worlds.map((world) => ({ world, maxStates: MAX_STATES, defect })))
  const states = answers.reduce((sum, { exploration }) => sum + exploration.states, 0)
  const hit = answers.find(({ exploration }) => exploration.violations.length > 0)
  const [violation] = hit?.exploration.violations ?? []
  return { defect, states, ...(hit === undefined || violation === undefined ? {} : { world: hit.world, violation }) }
}

function say({ defect, world, violation, states }: Verdict): void {
  const where = `(${defect.breaks}) ${defect.name}`
  if (violation === undefined) {
    console.log(`NOT CAUGHT ${where}, after ${states} states`)
    return
  }
  console.log(`caught     ${where}\n           in ${world} after ${states} states: ${violation.message}`)
  for (const [at, label] of violation.trace.entries())
    console.log(`             ${String(at + 1).padStart(2)}. ${label}`)
}

/** Explores the worlds that it was started with. A planted defect is put into the sources before any of them is loaded. */
import { parentPort, workerData } from 'node:worker_threads'
import { plant } from './mutants/plant.ts'
import type { Answer, Job } from './run-worlds.ts'

const jobs = workerData as readonly Job[]
const defect = jobs[0]?.defect
const check = defect === undefined ? undefined : plant(defect)
const { exploreNamed } = await import('./models.ts')
check?.()
const answers: Answer[] = []
for (const { world, maxStates } of jobs) {
  const exploration = await exploreNamed(world, { maxStates })
  answers.push({ world, exploration })
  if (defect !== undefined && exploration.violations.length > 0) break
}
parentPort?.postMessage(answers)

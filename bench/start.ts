/** From the command to "ready": `kobe up` with an empty state folder (2 members to make), and again with the state kept. */
import { createTestKobe } from '../test/support/kobe.ts'
import { summarize } from './support/statistics.ts'

const RUNS = Number(process.argv[2] ?? 5)
const fresh: number[] = []
const again: number[] = []

for (let run = 0; run < RUNS; run += 1) {
  console.error(`run ${run + 1} of ${RUNS}`)
  const kobe = createTestKobe()
  try {
    for (const times of [fresh, again]) {
      const before = performance.now()
      const running = await kobe.up()
      times.push(performance.now() - before)
      running.child.kill('SIGINT')
      await running.exited
    }
  } finally {
    await kobe.dispose()
  }
}
console.log(
  JSON.stringify({ bench: 'start', unit: 'ms', emptyState: summarize(fresh), keptState: summarize(again) }, null, 2),
)

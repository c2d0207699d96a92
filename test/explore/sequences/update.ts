/** Writes the golden logs anew: `npm run explore -- pools --update`, then read the difference. */
import { writeGolden } from './golden.ts'
import { SCENARIOS } from './scenarios.ts'

export function updateGoldenLogs(): number {
  for (const scenario of SCENARIOS) writeGolden(scenario)
  console.log(`${SCENARIOS.length} golden logs are written: read the difference before it is committed`)
  return 0
}

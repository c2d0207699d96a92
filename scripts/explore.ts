/** `npm run explore -- pools [--mutants] [--json]`: every reachable state of small worlds, checked. */
import { main } from '../test/explore/main.ts'

process.exitCode = await main(process.argv.slice(2))

/**
 * Leases under load, on members made in memory: what the operator itself costs.
 *   burst       -> 300 requests at once on 300 warm members
 *   load        -> 50 requests a second for 30 s, whatever the answers: POST to kubeconfig in hand, writes per lease, event loop
 *   churn       -> the same, each lease given back at once, so that 50 members a second are destroyed and made as well
 *   queue       -> leases wait, capacity comes, steadily and ten at once: from a Ready member to the lease that is bound to it
 *   expiry      -> many leases live, some end: from `expiresAt` to Expired
 * Arguments: `--rate`, `--seconds`, `--leases` (living ones of the expiry part), `--only burst|load|churn|queue|expiry`, `--profile <folder>`.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { createFakeKobe, type FakeKobe, type FakeOperator } from '../test/support/fake-kobe/fake-kobe.ts'
import { measureBurst } from './support/lease-burst.ts'
import { measureExpiry } from './support/lease-expiry.ts'
import { measureLoad } from './support/lease-load.ts'
import { measureQueue } from './support/lease-queue.ts'

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '30' },
    leases: { type: 'string', default: '10000' },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
})

const asked = { rate: Number(values.rate), seconds: Number(values.seconds) }

type Part = (kobe: FakeKobe, operator: FakeOperator) => Promise<object>
const PARTS: Readonly<Record<string, Part>> = {
  burst: measureBurst,
  load: (kobe, operator) => measureLoad(kobe, operator, { ...asked, churn: false }),
  churn: (kobe, operator) => measureLoad(kobe, operator, { ...asked, churn: true }),
  queue: (kobe, operator) => measureQueue(kobe, operator),
  expiry: (kobe, operator) => measureExpiry(kobe, operator, { living: Number(values.leases) }),
}

const figures: Record<string, object> = {}
for (const [name, measure] of Object.entries(PARTS)) {
  if (values.only !== undefined && values.only !== name) continue
  console.error(`${name} ...`)
  const execArgv = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`]
  await using kobe = await createFakeKobe({ execArgv })
  await kobe.makePrincipal('ci', { maxConcurrentLeases: 100_000 })
  const operator = await kobe.start({ execArgv })
  figures[name] = { ...(await measure(kobe, operator)), loadAverage: Math.round((loadavg()[0] ?? 0) * 10) / 10 }
}
console.log(JSON.stringify({ bench: 'leases', ...figures }, null, 2))

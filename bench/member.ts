/**
 * What a member of the embedded backend costs: time to start, memory when idle.
 *
 *   npm run bench -- member [--count 10] [--isolation process|shared|both] [--storage sqlite|memory] [--flags "..."] [--settle 2000]
 *   npm run bench -- member --baseline <commit> [--count 10] [--storage sqlite|memory] [--settle 2000]
 *
 * Writes one JSON object to stdout. The second form starts members of an earlier commit and of this checkout in turn, prints
 * both, and fails when one of this checkout takes more than a tenth more. What the figures mean: `support/member-start.ts`.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { memberNodeFlags } from '../src/backends/embedded/node-flags.ts'
import { bundleFolder, currentBundle } from '../src/backends/embedded/program-bundle.ts'
import { measureGrowth } from './support/member-growth.ts'
import { destroyMember, memoryOf, openCheckout, type Started, startMember } from './support/member-start.ts'
import { summarize } from './support/statistics.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10' },
    isolation: { type: 'string', default: 'both' },
    storage: { type: 'string', default: 'sqlite' },
    flags: { type: 'string', default: memberNodeFlags.join(' ') },
    settle: { type: 'string', default: '2000' },
    cache: { type: 'string', default: join(import.meta.dirname, '../node_modules/.cache/kobe-members') },
    baseline: { type: 'string' },
  },
})
const count = Number(values.count)
const storage = values.storage === 'memory' ? 'memory' : 'sqlite'
const root = join(import.meta.dirname, '..')
const median = (numbers: readonly number[]) => summarize(numbers).p50

async function measure(isolation: 'process' | 'shared') {
  const folder = await mkdtemp(join(tmpdir(), 'kobe-bench-'))
  const nodeFlags = values.flags.split(' ').filter((flag) => flag !== '')
  const checkout = await openCheckout({
    root,
    stateDir: join(folder, 'members'),
    compileCacheDir: values.cache,
    nodeFlags,
  })
  const started: Started[] = []
  const memory: { rss: number; pss: number }[] = []
  // The first one fills the compile cache, and starts the shared process.
  for (let index = 0; index <= count; index += 1) {
    const member = await startMember(checkout, { name: `m${index}`, isolation, storage })
    started.push(member)
    if (isolation === 'shared' && (index === 0 || index === count)) {
      await delay(Number(values.settle))
      memory.push(await memoryOf(member.pid))
    }
  }
  await delay(Number(values.settle))
  const measured = started.slice(1)
  if (isolation === 'process') memory.push(...(await Promise.all(measured.map(({ pid }) => memoryOf(pid)))))
  for (let index = 0; index <= count; index += 1) await destroyMember(checkout, `m${index}`)
  await checkout.launcher.close()
  await rm(folder, { recursive: true, force: true })
  const times = {
    startMs: median(measured.map(({ startMs }) => startMs)),
    ensureMs: median(measured.map(({ ensureMs }) => ensureMs)),
  }
  return { times, cpuMs: median(measured.map(({ cpuMs }) => cpuMs)), memory }
}

async function measureProcess() {
  const { memory, times, cpuMs } = await measure('process')
  return { ...times, cpuMs, rss: median(memory.map(({ rss }) => rss)), pss: median(memory.map(({ pss }) => pss)) }
}

async function measureShared() {
  const { memory, times } = await measure('shared')
  const [first, last] = memory
  const perMember = ((last?.rss ?? 0) - (first?.rss ?? 0)) / count
  return { ...times, rssWithOne: median([first?.rss ?? 0]), rssPerFurtherMember: Math.round(perMember * 100) / 100 }
}

const settings = {
  command: `npm run bench -- member ${process.argv.slice(2).join(' ')}`.trim(),
  node: process.version,
  cores: availableParallelism(),
  count,
  storage,
  /** `sources`: one was changed since set-up. */
  program: currentBundle(bundleFolder(root), 'member-process') === undefined ? 'sources' : 'bundle',
}
const print = (result: object) => process.stdout.write(`${JSON.stringify({ ...settings, ...result }, undefined, 2)}\n`)

if (values.baseline === undefined) {
  print({
    flags: values.flags,
    ...(values.isolation === 'shared' ? {} : { process: await measureProcess() }),
    ...(values.isolation === 'process' ? {} : { shared: await measureShared() }),
  })
} else {
  const growth = await measureGrowth({
    baseline: values.baseline,
    count,
    storage,
    settleMs: Number(values.settle),
  })
  print(growth)
  if (!growth.ok) process.exitCode = 1
}

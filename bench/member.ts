/**
 * What a member of the embedded backend costs: time to start, memory when idle.
 *
 *   node bench/member.ts [--count 10] [--isolation process|shared|both] [--storage sqlite|memory] [--flags "..."] [--settle 2000]
 *
 * Writes one JSON object to stdout. Times are milliseconds, memory MiB. `startMs` is from the start of its process (shared:
 * from the call) to its readiness; `ensureMs` from the first `ensure` call, with keys and files, to the Running event.
 * `rss` counts pages shared with other processes (the Node program itself) in each of them; `pss` counts them once.
 */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createLauncher, type Launcher, type LaunchSpec } from '../src/backends/embedded/launcher.ts'
import type { MemberRecord, ReadyRecord } from '../src/backends/embedded/member-record.ts'
import { memberNodeFlags } from '../src/backends/embedded/node-flags.ts'
import { systemClock } from '../src/kube/clock.ts'
import { silentLog } from '../src/kube/log.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10' },
    isolation: { type: 'string', default: 'both' },
    storage: { type: 'string', default: 'sqlite' },
    flags: { type: 'string', default: memberNodeFlags.join(' ') },
    settle: { type: 'string', default: '2000' },
    cache: { type: 'string', default: join(import.meta.dirname, '../node_modules/.cache/kobe-members') },
  },
})
const count = Number(values.count)
const storage = values.storage === 'memory' ? 'memory' : 'sqlite'

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? 0) * 10) / 10
}

async function mebibytes(pid: number): Promise<{ rss: number; pss: number }> {
  const field = async (file: string, name: string) => {
    const text = await readFile(`/proc/${pid}/${file}`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024
  }
  return { rss: await field('status', 'VmRSS'), pss: await field('smaps_rollup', 'Pss') }
}

function untilRunning(launcher: Launcher, spec: LaunchSpec): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = () => {
    launcher.ensure(spec).then(({ state, message }) => {
      if (state === 'Running') resolve()
      if (state === 'Failed') reject(new Error(message))
    }, reject)
  }
  const unsubscribe = launcher.subscribe((name) => (name === spec.name ? look() : undefined))
  look()
  return promise.finally(unsubscribe)
}

async function started(stateDir: string, name: string): Promise<{ pid: number; startMs: number }> {
  const ready = JSON.parse(await readFile(join(stateDir, name, 'ready.json'), 'utf8')) as ReadyRecord
  const record = JSON.parse(await readFile(join(stateDir, name, 'member.json'), 'utf8')) as MemberRecord
  const { mtimeMs } = await stat(join(stateDir, name, 'ready.json'))
  return { pid: ready.process.pid, startMs: mtimeMs - (record.launch?.at ?? 0) }
}

async function untilGone(launcher: Launcher, name: string, uid: string): Promise<void> {
  while (!(await launcher.destroy(name, uid)).gone) await delay(10)
}

async function measure(isolation: 'process' | 'shared') {
  const root = await mkdtemp(join(tmpdir(), 'kobe-bench-'))
  const stateDir = join(root, 'members')
  const nodeFlags = values.flags.split(' ').filter((flag) => flag !== '')
  const launcher = createLauncher({
    stateDir,
    compileCacheDir: values.cache,
    nodeFlags,
    clock: systemClock,
    log: silentLog,
  })
  const startMs: number[] = []
  const ensureMs: number[] = []
  const pids: number[] = []
  const memory: { rss: number; pss: number }[] = []
  // The first one fills the compile cache, and starts the shared process.
  for (let index = 0; index <= count; index += 1) {
    const spec: LaunchSpec = { name: `m${index}`, uid: 'bench', isolation, storage, version: 'v1.36.0' }
    const began = performance.now()
    await untilRunning(launcher, spec)
    const tookMs = performance.now() - began
    const member = await started(stateDir, spec.name)
    pids.push(member.pid)
    if (index > 0) {
      ensureMs.push(tookMs)
      startMs.push(member.startMs)
    }
    if (isolation === 'shared' && (index === 0 || index === count)) {
      await delay(Number(values.settle))
      memory.push(await mebibytes(member.pid))
    }
  }
  await delay(Number(values.settle))
  if (isolation === 'process') memory.push(...(await Promise.all(pids.slice(1).map(mebibytes))))
  for (let index = 0; index <= count; index += 1) await untilGone(launcher, `m${index}`, 'bench')
  await launcher.close()
  await rm(root, { recursive: true, force: true })
  return { startMs: median(startMs), ensureMs: median(ensureMs), memory }
}

async function measureProcess() {
  const { memory, ...times } = await measure('process')
  return { ...times, rss: median(memory.map(({ rss }) => rss)), pss: median(memory.map(({ pss }) => pss)) }
}

async function measureShared() {
  const { memory, ...times } = await measure('shared')
  const [first, last] = memory
  const perMember = ((last?.rss ?? 0) - (first?.rss ?? 0)) / count
  return { ...times, rssWithOne: median([first?.rss ?? 0]), rssPerFurtherMember: Math.round(perMember * 100) / 100 }
}

const result = {
  command: 'node bench/member.ts',
  node: process.version,
  cores: availableParallelism(),
  count,
  storage,
  flags: values.flags,
  ...(values.isolation === 'shared' ? {} : { process: await measureProcess() }),
  ...(values.isolation === 'process' ? {} : { shared: await measureShared() }),
}
process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)

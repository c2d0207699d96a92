/** Starts members of one checkout and says what each took. Times are milliseconds, memory MiB; Linux only. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type * as LauncherModule from '../../src/backends/embedded/launcher.ts'
import type { MemberRecord, ReadyRecord } from '../../src/backends/embedded/member-record.ts'
import type * as NodeFlagsModule from '../../src/backends/embedded/node-flags.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { silentLog } from '../../src/kube/log.ts'

const UID = 'bench'

export interface Checkout {
  readonly launcher: LauncherModule.Launcher
  readonly stateDir: string
}

export interface CheckoutOptions {
  /** Its folder. */
  readonly root: string
  readonly stateDir: string
  readonly compileCacheDir: string
  /** Default: those of the checkout. */
  readonly nodeFlags?: readonly string[]
}

/** The launcher of that very checkout starts its members. */
export async function openCheckout({ root, nodeFlags, ...options }: CheckoutOptions): Promise<Checkout> {
  const at = (file: string): Promise<unknown> => import(join(root, 'src', 'backends', 'embedded', file))
  const { createLauncher } = (await at('launcher.ts')) as typeof LauncherModule
  const { memberNodeFlags } = (await at('node-flags.ts')) as typeof NodeFlagsModule
  const clock = systemClock
  const launcher = createLauncher({ ...options, nodeFlags: nodeFlags ?? memberNodeFlags, clock, log: silentLog })
  return { launcher, stateDir: options.stateDir }
}

export interface Started {
  readonly pid: number
  /** From the start of its process (shared: from the call) to its readiness. */
  readonly startMs: number
  /** From the first `ensure` call, with keys and files, to the Running event. */
  readonly ensureMs: number
  /** Time that its process was running on a core until then: hardly changes when the machine is busy. */
  readonly cpuMs: number
}

export async function startMember(
  { launcher, stateDir }: Checkout,
  spec: Omit<LauncherModule.LaunchSpec, 'uid' | 'version'>,
): Promise<Started> {
  const began = performance.now()
  await untilRunning(launcher, { ...spec, uid: UID, version: 'v1.36.0' })
  const ensureMs = performance.now() - began
  const at = (file: string) => join(stateDir, spec.name, file)
  const ready = JSON.parse(await readFile(at('ready.json'), 'utf8')) as ReadyRecord
  const record = JSON.parse(await readFile(at('member.json'), 'utf8')) as MemberRecord
  const { pid } = ready.process
  const cpuMs = await cpuTime(pid)
  const { mtimeMs } = await stat(at('ready.json'))
  return { pid, startMs: mtimeMs - (record.launch?.at ?? 0), ensureMs, cpuMs }
}

function untilRunning(launcher: LauncherModule.Launcher, spec: LauncherModule.LaunchSpec): Promise<void> {
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

export async function destroyMember({ launcher }: Checkout, name: string): Promise<void> {
  while (!(await launcher.destroy(name, UID)).gone) await delay(10)
}

/** `rss` counts pages shared with other processes (the Node program itself) in each of them; `pss` counts them once. */
export async function memoryOf(pid: number): Promise<{ readonly rss: number; readonly pss: number }> {
  const field = async (file: string, name: string) => {
    const text = await readFile(`/proc/${pid}/${file}`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / 1024
  }
  return { rss: await field('status', 'VmRSS'), pss: await field('smaps_rollup', 'Pss') }
}

/** Of all threads of a process, milliseconds. */
async function cpuTime(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`)
  const nanoseconds = await Promise.all(
    threads.map(async (thread) => {
      const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')
      return Number(text.split(' ')[0])
    }),
  )
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6
}

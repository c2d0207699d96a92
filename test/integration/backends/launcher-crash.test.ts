import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLauncher, type Launcher, type LaunchSpec } from '../../../src/backends/embedded/launcher.ts'
import { findByArgument } from '../../../src/backends/embedded/process-identity.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { silentLog } from '../../../src/kube/log.ts'
import { compileCacheDir } from '../../contract/compile-cache.ts'
import { untilTrue } from '../../contract/until.ts'

const deadlineMs = 20_000
const spec: LaunchSpec = { name: 'm1', uid: 'u1', storage: 'sqlite' }
const program = join(import.meta.dirname, 'dies-at-write.ts')

let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kobe-crash-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** True: it was killed at that change. False: it came to its end. */
async function dies(stateDir: string, task: 'ensure' | 'destroy', dieAt: number): Promise<boolean> {
  const child = spawn(process.execPath, [program, stateDir, task, String(dieAt)], { stdio: 'ignore' })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (signal === null && code !== 0) throw new Error(`the program ended with code ${code}`)
  return signal === 'SIGKILL'
}

async function withLauncher(stateDir: string, use: (launcher: Launcher) => Promise<void>): Promise<void> {
  const launcher = createLauncher({ stateDir, compileCacheDir, pollEveryMs: 50, clock: systemClock, log: silentLog })
  await use(launcher)
  await launcher.close()
}

const runs = (launcher: Launcher, what: string) =>
  untilTrue(async () => (await launcher.ensure(spec)).state === 'Running', `${what}: it runs`, deadlineMs)

async function removeAll(launcher: Launcher, stateDir: string, what: string): Promise<void> {
  const gone = async () => (await launcher.destroy(spec.name, spec.uid)).gone
  await untilTrue(gone, `${what}: it is gone`, deadlineMs)
  expect(await readdir(stateDir).catch(() => []), what).toEqual([])
  expect(await findByArgument(join(stateDir, spec.name)), what).toBeUndefined()
}

test('a launcher killed before any change while it creates is continued by the next, to a member or to nothing', async () => {
  for (let change = 1; ; change += 1) {
    const stateDir = join(root, `create-${change}`)
    if (!(await dies(stateDir, 'ensure', change))) {
      expect(change).toBeGreaterThan(10)
      await withLauncher(stateDir, (launcher) => removeAll(launcher, stateDir, 'not killed'))
      return
    }
    await withLauncher(stateDir, async (launcher) => {
      // Every other one is given up at once, as when its pool is deleted.
      if (change % 2 === 0) await runs(launcher, `killed before change ${change}`)
      await removeAll(launcher, stateDir, `killed before change ${change}`)
    })
  }
}, 120_000)

test('a launcher killed before any change while it destroys is continued by the next, to nothing', async () => {
  for (let change = 1; ; change += 1) {
    const stateDir = join(root, `destroy-${change}`)
    await withLauncher(stateDir, (launcher) => runs(launcher, 'before'))
    const died = await dies(stateDir, 'destroy', change)
    await withLauncher(stateDir, (launcher) => removeAll(launcher, stateDir, `killed before change ${change}`))
    if (died) continue
    expect(change).toBeGreaterThan(8)
    return
  }
}, 120_000)

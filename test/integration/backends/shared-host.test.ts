import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createLauncher,
  type Launcher,
  type LauncherOptions,
  type LaunchSpec,
} from '../../../src/backends/embedded/launcher.ts'
import { isAlive, type ProcessIdentity, signalProcess } from '../../../src/backends/embedded/process-identity.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { silentLog } from '../../../src/kube/log.ts'
import { compileCacheDir } from '../../contract/compile-cache.ts'
import { untilTrue } from '../../contract/until.ts'

const deadlineMs = 20_000

let root: string
let launcher: Launcher

const shared = (name: string, storage: 'sqlite' | 'memory' = 'sqlite'): LaunchSpec => ({
  name,
  uid: `uid-${name}`,
  isolation: 'shared',
  storage,
})

function open(changes: Partial<LauncherOptions> = {}): Launcher {
  const [stateDir, sharedDir] = [join(root, 'members'), join(root, 'shared')]
  return createLauncher({ stateDir, sharedDir, compileCacheDir, clock: systemClock, log: silentLog, ...changes })
}

async function untilState(wanted: string, spec: LaunchSpec): Promise<void> {
  await untilTrue(async () => (await launcher.ensure(spec)).state === wanted, `${spec.name} is ${wanted}`, deadlineMs)
}

async function processOf(name: string): Promise<ProcessIdentity> {
  return JSON.parse(await readFile(join(root, 'members', name, 'ready.json'), 'utf8')).process
}

async function untilGone({ name, uid }: { name: string; uid: string }): Promise<void> {
  await untilTrue(async () => (await launcher.destroy(name, uid)).gone, `${name} is gone`, deadlineMs)
}

async function untilEnded(identity: ProcessIdentity): Promise<void> {
  await untilTrue(async () => !(await isAlive(identity)), `process ${identity.pid} ended`, deadlineMs)
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kobe-shared-'))
  launcher = open()
})

afterEach(async () => {
  for (const member of await launcher.list()) await untilGone(member)
  await launcher.close()
  await rm(root, { recursive: true, force: true })
})

test('many members live in one process, which ends with the last and leaves nothing', async () => {
  const specs = ['a', 'b', 'c'].map((name) => shared(name))
  await Promise.all(specs.map((spec) => untilState('Running', spec)))
  const identities = await Promise.all(specs.map(({ name }) => processOf(name)))
  expect(new Set(identities.map(({ pid }) => pid)).size).toBe(1)
  for (const spec of specs) await untilGone(spec)
  await untilEnded(identities[0]!)
  expect(await readdir(root)).toEqual(['members'])
  expect(await readdir(join(root, 'members'))).toEqual([])
})

test('destroying one leaves the others alone', async () => {
  await Promise.all([shared('a'), shared('b')].map((spec) => untilState('Running', spec)))
  const before = await processOf('b')
  await untilGone(shared('a'))
  expect(await launcher.ensure(shared('b'))).toMatchObject({ state: 'Running', pid: before.pid })
})

test('when the process dies, members with a file come back on their ports and those in memory have failed', async () => {
  const kept = [shared('a'), shared('b')]
  const lost = shared('m', 'memory')
  await Promise.all([...kept, lost].map((spec) => untilState('Running', spec)))
  const urls = await Promise.all(kept.map(async (spec) => (await launcher.ensure(spec)).url))
  const before = await processOf('a')
  await signalProcess(before, 'SIGKILL')
  await untilEnded(before)
  await Promise.all(kept.map((spec) => untilState('Running', spec)))
  expect(await Promise.all(kept.map(async (spec) => (await launcher.ensure(spec)).url))).toEqual(urls)
  expect(await launcher.ensure(lost)).toMatchObject({ state: 'Failed', code: 'DataLost' })
  expect((await processOf('a')).pid).not.toBe(before.pid)
})

test('the process outlives the launcher, and the next one finds it and adds members to it', async () => {
  await untilState('Running', shared('a'))
  const before = await processOf('a')
  await launcher.close()
  launcher = open()
  expect(await launcher.ensure(shared('a'))).toMatchObject({ state: 'Running', pid: before.pid })
  await untilState('Running', shared('b'))
  expect(await processOf('b')).toEqual(before)
})

test('a member whose launcher died before it asked for it is started by the next', async () => {
  await untilState('Running', shared('a'))
  await launcher.ensure(shared('b'))
  await launcher.close()
  launcher = open()
  await untilState('Running', shared('b'))
})

test('a process that hangs is ended when one of its members must go', async () => {
  await launcher.close()
  launcher = open({ sharedRequestTimeoutMs: 300 })
  await untilState('Running', shared('a'))
  const identity = await processOf('a')
  process.kill(identity.pid, 'SIGSTOP')
  await untilGone(shared('a'))
  expect(await isAlive(identity)).toBe(false)
})

test('a folder whose path is too long for a socket works too', async () => {
  await launcher.close()
  const sharedDir = join(root, 'x'.repeat(120))
  launcher = open({ sharedDir })
  await untilState('Running', shared('a'))
  await untilGone(shared('a'))
  await untilTrue(async () => (await readdir(root)).join() === 'members', 'its folder is gone', deadlineMs)
})

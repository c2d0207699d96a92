import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createLauncher,
  type Launcher,
  type LauncherOptions,
  type LaunchSpec,
} from '../../../src/backends/embedded/launcher.ts'
import type { MemberRecord } from '../../../src/backends/embedded/member-record.ts'
import { isAlive, type ProcessIdentity, signalProcess } from '../../../src/backends/embedded/process-identity.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { silentLog } from '../../../src/kube/log.ts'
import { compileCacheDir } from '../../contract/compile-cache.ts'
import { untilTrue } from '../../contract/until.ts'

const deadlineMs = 20_000
const spec: LaunchSpec = { name: 'm1', uid: 'u1', storage: 'sqlite', version: 'v1.36.0' }

let root: string
let stateDir: string
let launcher: Launcher
let occupied: Server | undefined

function open(changes: Partial<LauncherOptions> = {}): Launcher {
  return createLauncher({ stateDir, compileCacheDir, clock: systemClock, log: silentLog, ...changes })
}

/** As a kill of the operator does: no goodbye, a new one comes. */
async function reopen(changes: Partial<LauncherOptions> = {}): Promise<void> {
  await launcher.close()
  launcher = open(changes)
}

async function untilState(wanted: string, of: LaunchSpec = spec): Promise<void> {
  await untilTrue(async () => (await launcher.ensure(of)).state === wanted, `${of.name} is ${wanted}`, deadlineMs)
}

async function untilGone(of: LaunchSpec = spec): Promise<void> {
  await untilTrue(async () => (await launcher.destroy(of.name, of.uid)).gone, `${of.name} is gone`, deadlineMs)
}

const file = (name: string, member = spec.name) => join(stateDir, member, name)
const readRecord = async (): Promise<MemberRecord> => JSON.parse(await readFile(file('member.json'), 'utf8'))
const writeRecord = (record: MemberRecord) => writeFile(file('member.json'), JSON.stringify(record))

async function processOf(member = spec.name): Promise<ProcessIdentity> {
  return JSON.parse(await readFile(file('ready.json', member), 'utf8')).process
}

async function occupy(port: number): Promise<void> {
  occupied = createServer().listen(port, '127.0.0.1')
  await once(occupied, 'listening')
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kobe-launcher-'))
  stateDir = join(root, 'members')
  launcher = open()
})

afterEach(async () => {
  occupied?.close()
  occupied = undefined
  for (const { name, uid } of await launcher.list()) await untilGone({ ...spec, name, uid })
  await launcher.close()
  await rm(root, { recursive: true, force: true })
})

describe('a process', () => {
  test('outlives the launcher, and the next one finds it', async () => {
    await untilState('Running')
    const before = await processOf()
    await reopen()
    expect(await launcher.ensure(spec)).toMatchObject({ state: 'Running', pid: before.pid })
  })

  test('that died while nobody watched is started again on its port', async () => {
    await untilState('Running')
    const { port } = await readRecord()
    const before = await processOf()
    await launcher.close()
    await signalProcess(before, 'SIGKILL')
    await untilTrue(async () => !(await isAlive(before)), 'it ended', deadlineMs)
    launcher = open()
    await untilState('Running')
    expect((await readRecord()).port).toBe(port)
    expect(await processOf()).not.toEqual(before)
  })

  test('found again and then killed is noticed and started again without a call', async () => {
    await untilState('Running')
    await reopen({ pollEveryMs: 50 })
    await launcher.inspect(spec.name, spec.uid)
    const before = await processOf()
    const events: string[] = []
    launcher.subscribe((name) => events.push(name))
    await signalProcess(before, 'SIGKILL')
    await untilTrue(
      async () => (await processOf().catch(() => before)).pid !== before.pid,
      'another process answers',
      deadlineMs,
    )
    expect(events).toContain(spec.name)
  })

  test('whose PID was never written down is found, not doubled', async () => {
    await untilState('Running')
    const before = await processOf()
    await launcher.close()
    const record = await readRecord()
    await writeRecord({ ...record, launch: { id: record.launch!.id, at: record.launch!.at } })
    await rename(file('ready.json'), file('ready.json.aside'))
    launcher = open()
    expect((await launcher.ensure(spec)).state).toBe('Provisioning')
    await rename(file('ready.json.aside'), file('ready.json'))
    await untilState('Running')
    expect(await processOf()).toEqual(before)
  })

  test('ends by itself when its folder is gone', async () => {
    await untilState('Running')
    const identity = await processOf()
    await launcher.close()
    await rm(stateDir, { recursive: true })
    await untilTrue(async () => !(await isAlive(identity)), 'it ended', deadlineMs)
    launcher = open()
  })

  test('ends by itself when its folder asks for another launch', async () => {
    await untilState('Running')
    const identity = await processOf()
    await launcher.close()
    const record = await readRecord()
    await writeRecord({ ...record, launch: { id: 'another', at: 0 } })
    await untilTrue(async () => !(await isAlive(identity)), 'it ended', deadlineMs)
    launcher = open()
    await untilState('Running')
  })

  test('with a PID that now belongs to a stranger is taken as ended, and the stranger is left alone', async () => {
    await untilState('Running')
    const mine = await processOf()
    await launcher.close()
    const record = await readRecord()
    await signalProcess(mine, 'SIGKILL')
    await untilTrue(async () => !(await isAlive(mine)), 'it ended', deadlineMs)
    const stranger = { pid: process.pid, startTime: mine.startTime }
    await writeRecord({ ...record, launch: { ...record.launch!, process: stranger } })
    launcher = open()
    await untilState('Running')
    expect((await processOf()).pid).not.toBe(process.pid)
  })

  test('that is being stopped and is wanted again comes back', async () => {
    await untilState('Running')
    const before = await processOf()
    expect((await launcher.stop(spec.name, spec.uid)).gone).toBe(false)
    await launcher.ensure(spec)
    await untilTrue(async () => !(await isAlive(before)), 'the former ended', deadlineMs)
    await untilTrue(async () => isAlive(await processOf().catch(() => before)), 'another one answers', deadlineMs)
  })

  test('that does not end when told to is ended after 5 s', async () => {
    await untilState('Running')
    const identity = await processOf()
    process.kill(identity.pid, 'SIGSTOP')
    const began = performance.now()
    expect((await launcher.destroy(spec.name, spec.uid)).gone).toBe(false)
    expect(performance.now() - began).toBeLessThan(4000)
    await untilGone()
    expect(await isAlive(identity)).toBe(false)
    expect(performance.now() - began).toBeGreaterThan(4500)
  })
})

describe('storage', () => {
  test('a member in memory whose process died has failed', async () => {
    const inMemory: LaunchSpec = { ...spec, storage: 'memory' }
    await untilState('Running', inMemory)
    await signalProcess(await processOf(), 'SIGKILL')
    await untilState('Failed', inMemory)
    expect(await launcher.ensure(inMemory)).toMatchObject({ code: 'DataLost' })
  })

  test('a damaged file fails the member, says what to do, and is kept', async () => {
    await untilState('Running')
    await launcher.stop(spec.name, spec.uid)
    await untilTrue(async () => (await launcher.stop(spec.name, spec.uid)).gone, 'it stopped', deadlineMs)
    await rm(file('data.sqlite-wal'), { force: true })
    await writeFile(file('data.sqlite'), 'this is no database '.repeat(500))
    await untilState('Failed')
    expect(await launcher.ensure(spec)).toMatchObject({
      code: 'StorageCorrupt',
      message: expect.stringContaining('restore it'),
    })
    expect(await readFile(file('data.sqlite'), 'utf8')).toContain('this is no database')
  })
})

test('the log of a member is moved aside and emptied when it is full', async () => {
  await untilState('Running')
  await appendFile(file('log.txt'), `${'x'.repeat(99)}\n`.repeat(11_000))
  const emptied = async () => (await stat(file('log.txt'))).size < 1000
  await untilTrue(emptied, 'it is empty', deadlineMs)
  expect((await stat(file('log.1.txt'))).size).toBeGreaterThan(1_000_000)
})

describe('a port', () => {
  test('that another program took is waited for', async () => {
    await untilState('Running')
    const { port } = await readRecord()
    await untilTrue(async () => (await launcher.stop(spec.name, spec.uid)).gone, 'it stopped', deadlineMs)
    await occupy(port)
    await untilTrue(
      async () => (await launcher.ensure(spec)).code === 'PortTaken',
      'the taken port is told',
      deadlineMs,
    )
    expect((await launcher.ensure(spec)).message).toContain(`port ${port}`)
    occupied?.close()
    await untilState('Running')
    expect((await readRecord()).port).toBe(port)
  })
})

describe('creation', () => {
  test.each([
    ['an empty folder', () => mkdir(join(stateDir, 'm1'), { recursive: true })],
    [
      'a folder with half the keys',
      async () => {
        await mkdir(join(stateDir, 'm1', 'pki'), { recursive: true })
        await writeFile(file('pki/ca.crt.pem'), 'half')
      },
    ],
    [
      'a half-written record',
      async () => {
        await mkdir(join(stateDir, 'm1'), { recursive: true })
        await writeFile(file('member.json.abcd.tmp'), '{')
      },
    ],
  ])('continues after a crash that left %s', async (_, leave) => {
    await leave()
    await untilState('Running')
    await untilGone()
    expect(await readdir(stateDir)).toEqual([])
  })

  test('half done can be destroyed', async () => {
    await mkdir(join(stateDir, 'm1', 'pki'), { recursive: true })
    await untilGone()
    expect(await readdir(stateDir)).toEqual([])
  })

  test('above the limit waits, also when many are asked for at once', async () => {
    await reopen({ maxMembers: 2 })
    const specs = ['m1', 'm2', 'm3', 'm4'].map((name) => ({ ...spec, name, isolation: 'shared' as const }))
    const states = await Promise.all(specs.map((each) => launcher.ensure(each)))
    expect(states.filter(({ state }) => state === 'Unschedulable')).toHaveLength(2)
    expect(states.find(({ state }) => state === 'Unschedulable')?.message).toContain('2 of 2 members')
  })

  test('without a Node program fails and says so', async () => {
    await reopen({ nodePath: '/no/such/node' })
    expect(await launcher.ensure(spec)).toMatchObject({
      state: 'Failed',
      message: expect.stringContaining('/no/such/node'),
    })
  })

  test('in a place that is no folder fails and names it', async () => {
    await writeFile(stateDir, '')
    expect(await launcher.ensure(spec)).toMatchObject({ state: 'Failed', message: expect.stringContaining(stateDir) })
    await rm(stateDir)
  })

  test.each(['', '..', '../m', 'a/b', '.hidden'])('refuses the name %j', async (name) => {
    await expect(launcher.ensure({ ...spec, name })).rejects.toThrow(TypeError)
  })
})

describe('a removal', () => {
  test('that was interrupted is continued, and nothing is started meanwhile', async () => {
    await untilState('Running')
    await launcher.close()
    await writeRecord({ ...(await readRecord()), desired: 'Destroyed' })
    launcher = open()
    expect((await launcher.ensure(spec)).state).toBe('Failed')
    await untilGone()
    expect(await readdir(stateDir)).toEqual([])
  })

  test('of a member whose record is damaged is left to a person', async () => {
    await mkdir(join(stateDir, 'm1'), { recursive: true })
    await writeFile(file('member.json'), 'damaged')
    const answer = await launcher.destroy(spec.name, spec.uid)
    expect(answer).toMatchObject({ gone: false, remaining: [expect.stringContaining(file('member.json'))] })
    expect(await launcher.list()).toEqual([])
  })

  test('goes on in the background after the first call', async () => {
    await untilState('Running')
    await launcher.destroy(spec.name, spec.uid)
    await untilTrue(async () => (await readdir(stateDir)).length === 0, 'its folder is gone', deadlineMs)
  })
})

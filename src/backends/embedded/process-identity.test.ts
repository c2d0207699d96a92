import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { findByArgument, identify, isAlive, signalProcess, startTimes } from './process-identity.ts'

const children: ChildProcess[] = []

/** A process that waits to be ended. */
async function waitingProcess(argument = 'waits'): Promise<{ child: ChildProcess; pid: number }> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', argument], { stdio: 'ignore' })
  children.push(child)
  await once(child, 'spawn')
  return { child, pid: child.pid! }
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

test('a living process has an identity that stays', async () => {
  const { pid } = await waitingProcess()
  const identity = await identify(pid)
  expect(identity?.pid).toBe(pid)
  expect(await identify(pid)).toEqual(identity)
  expect(await isAlive(identity!)).toBe(true)
})

test('an ended process is not alive', async () => {
  const { child, pid } = await waitingProcess()
  const identity = (await identify(pid))!
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await isAlive(identity)).toBe(false)
  expect(await identify(pid)).toBeUndefined()
})

test('a process with the same PID and another start time is somebody else and gets no signal', async () => {
  const { pid } = await waitingProcess()
  const former = { pid, startTime: 'boot:1' }
  expect(await isAlive(former)).toBe(false)
  expect(await signalProcess(former, 'SIGKILL')).toBe(false)
  expect(await identify(pid)).toBeDefined()
})

test('many processes are looked at in one call', async () => {
  const { pid } = await waitingProcess()
  const found = await startTimes([pid, process.pid, 4_194_304])
  expect([...found.keys()].toSorted()).toEqual([pid, process.pid].toSorted())
})

test('a process is found by a word of its command line', async () => {
  const { pid } = await waitingProcess('a-word-of-its-own')
  expect((await findByArgument('a-word-of-its-own'))?.pid).toBe(pid)
  expect(await findByArgument('no-such-word-anywhere')).toBeUndefined()
})

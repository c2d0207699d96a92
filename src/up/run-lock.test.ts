import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { identify } from '../backends/embedded/process-identity.ts'
import { acquireRunLock, runningProcess } from './run-lock.ts'

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'kobe-lock-'))
  path = join(dir, 'up.json')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

test('a lock that is held names the process and what to do', async () => {
  const lock = await acquireRunLock(path)
  await expect(acquireRunLock(path)).rejects.toThrow(new RegExp(`process ${process.pid}.*kobe down`))
  lock.release()
  expect(existsSync(path)).toBe(false)
})

test('a dead process does not hold it', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  const identity = await identify(child.pid ?? -1)
  writeFileSync(path, JSON.stringify(identity))
  expect(await runningProcess(path)).toEqual(identity)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await runningProcess(path)).toBeUndefined()
  ;(await acquireRunLock(path)).release()
})

test('a process that merely has the same PID does not hold it', async () => {
  writeFileSync(path, JSON.stringify({ pid: process.pid, startTime: 'long ago' }))
  expect(await runningProcess(path)).toBeUndefined()
})

test('a file cut short by a crash does not hold it', async () => {
  writeFileSync(path, '{"pid":12')
  ;(await acquireRunLock(path)).release()
})

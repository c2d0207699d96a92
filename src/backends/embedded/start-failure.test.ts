import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { MemberRecord } from './member-record.ts'
import { describeStartFailure } from './start-failure.ts'

const record: MemberRecord = {
  schema: 1,
  name: 'm',
  uid: 'u',
  isolation: 'process',
  storage: 'sqlite',
  host: '127.0.0.1',
  port: 4000,
  tokens: [],
  desired: 'Running',
  everReady: true,
  crashes: 0,
  nextStartAt: 0,
}

const withCode = (code: string) => Object.assign(new Error('text of the system'), { code })

test.each([
  [withCode('EADDRINUSE'), 'PortTaken', 'port 4000 of 127.0.0.1'],
  [withCode('ENOSPC'), 'NoSpace', 'free some space'],
  [withCode('EACCES'), 'NoPermission', '/state/m'],
  [withCode('Corrupt'), 'StorageCorrupt', 'restore it'],
  [withCode('TooNew'), 'StorageTooNew', 'later version'],
  [withCode('Locked'), 'StorageLocked', 'another process'],
  [new Error('outer', { cause: withCode('ENOSPC') }), 'NoSpace', 'free some space'],
  [new Error('who knows'), 'StartFailed', 'who knows'],
  ['thrown text', 'StartFailed', 'thrown text'],
])('%s is %s and says what to do', (error, code, text) => {
  const failure = describeStartFailure(error, record, '/state/m')
  expect(failure.code).toBe(code)
  expect(failure.message).toContain(text)
})

test('an error of SQLite itself is told by its number', () => {
  const open = () => new DatabaseSync('/no/such/folder/data.sqlite')
  let thrown: unknown
  try {
    open()
  } catch (error) {
    thrown = error
  }
  expect(describeStartFailure(thrown, record, '/state/m').code).toBe('NoPermission')
})

test('a port that nobody knows yet may be changed', () => {
  const { message } = describeStartFailure(withCode('EADDRINUSE'), { ...record, everReady: false }, '/state/m')
  expect(message).toContain('choose another port')
})

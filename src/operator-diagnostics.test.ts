import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { FakeClock } from '../test/support/fake-clock.ts'
import { silentLog } from './kube/log.ts'
import { type DiagnosticsDirectory, openDiagnostics } from './operator-diagnostics.ts'

const DAY = 86_400_000
let dir: string
let clock: FakeClock
let store: DiagnosticsDirectory
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), 'kobe-diagnostics-')), 'made-when-needed')
  clock = new FakeClock()
  store = openDiagnostics({ dir, clock, log: silentLog, maxBytes: 100 })
})
afterEach(() => {
  store.close()
  rmSync(join(dir, '..'), { recursive: true, force: true })
})

const write = (lease: string, json = '{"a":1}', owner = 'ci/ci') => {
  const capturedAt = clock.now()
  return store.write({ lease, owner, capturedAt, keptUntil: capturedAt + DAY, complete: true, json })
}

describe('the diagnostics directory', () => {
  it('hands a bundle to its owner and to nobody else', async () => {
    await write('lease-1')
    const found = await store.find('lease-1', 'ci/ci')
    expect(found).toMatchObject({ bytes: 7, complete: true, keptUntil: clock.now() + DAY })
    expect(await text(await found!.open())).toBe('{"a":1}')
    expect(await store.find('lease-1', 'ci/other')).toBeUndefined()
    expect(await store.find('lease-2', 'ci/ci')).toBeUndefined()
  })

  it.runIf(process.platform === 'linux')('fails at once where nobody can make a folder', async () => {
    const nowhere = openDiagnostics({ dir: '/proc/no/such', clock, log: silentLog })
    const bundle = { lease: 'a', owner: 'b', capturedAt: 0, keptUntil: 1, complete: true, json: '{}' }
    await expect(nowhere.write(bundle)).rejects.toThrow(/ENOENT/)
    nowhere.close()
  })

  it('keeps files for this user only, whatever the name of a lease holds', async () => {
    await write('../../etc/passwd')
    const files = readdirSync(dir)
    expect(files).toHaveLength(2)
    expect(files.map((file) => statSync(join(dir, file)).mode & 0o777)).toEqual([0o600, 0o600])
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  it('removes a bundle when its time is over', async () => {
    await write('lease-1')
    await clock.advance(DAY)
    expect(await store.find('lease-1', 'ci/ci')).toBeUndefined()
    await store.prune()
    expect(readdirSync(dir)).toEqual([])
  })

  it('removes the oldest when all together grow too large', async () => {
    for (const lease of ['lease-1', 'lease-2', 'lease-3']) {
      await write(lease, JSON.stringify('x'.repeat(40)))
      await clock.advance(1000)
    }
    expect(await store.find('lease-1', 'ci/ci')).toBeUndefined()
    expect(await store.find('lease-2', 'ci/ci')).toBeDefined()
    expect(await store.find('lease-3', 'ci/ci')).toBeDefined()
  })
})

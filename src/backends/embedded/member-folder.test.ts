import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type MemberFolder, openMemberFolder } from './member-folder.ts'
import { CorruptRecordError, type MemberRecord } from './member-record.ts'

const pki = { caCert: 'a', caKey: 'b', servingCert: 'c', servingKey: 'd', adminCert: 'e', adminKey: 'f' }
const record: MemberRecord = {
  schema: 1,
  name: 'm',
  uid: 'u',
  isolation: 'process',
  storage: 'memory',
  host: '127.0.0.1',
  port: 0,
  tokens: [{ token: 'secret', user: 'a', groups: [] }],
  desired: 'Running',
  everReady: false,
  crashes: 0,
  nextStartAt: 0,
}

let root: string
let folder: MemberFolder

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kobe-folder-'))
  folder = openMemberFolder(join(root, 'm'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function mode(name: string): Promise<number> {
  return (await stat(join(folder.path, name))).mode & 0o777
}

describe('a member folder', () => {
  test('keeps what is written', async () => {
    expect(await folder.readRecord()).toBeUndefined()
    await folder.create(async () => pki)
    await folder.writeRecord(record)
    expect(await folder.readRecord()).toEqual(record)
    expect(await folder.readPki()).toEqual(pki)
  })

  test('can be read by its owner only, and so can its files', async () => {
    await folder.create(async () => pki)
    await folder.writeRecord(record)
    expect(await Promise.all(['.', 'pki', 'pki/admin.key.pem', 'member.json'].map(mode))).toEqual([
      0o700, 0o700, 0o600, 0o600,
    ])
  })

  test('a half-written try is replaced', async () => {
    await mkdir(join(folder.path, 'pki'), { recursive: true })
    await writeFile(join(folder.path, 'pki', 'ca.crt.pem'), 'half')
    await folder.create(async () => pki)
    expect(await folder.readPki()).toEqual(pki)
  })

  test('readiness of another launch does not count', async () => {
    await mkdir(folder.path)
    const ready = { launch: 'one', port: 1, process: { pid: 1, startTime: '' } }
    await writeFile(join(folder.path, 'ready.json'), JSON.stringify(ready))
    expect(await folder.readReady('one')).toEqual(ready)
    expect(await folder.readReady('two')).toBeUndefined()
  })

  test.each(['', '{', '{"schema":2}', '[]', 'null'])(
    'a damaged record %j is an error that names the file',
    async (text) => {
      await mkdir(folder.path)
      await writeFile(join(folder.path, 'member.json'), text)
      const error = await folder.readRecord().catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(CorruptRecordError)
      expect(String(error)).toContain(join(folder.path, 'member.json'))
    },
  )

  test('gives the last line of the log, however long the log is', async () => {
    await mkdir(folder.path)
    expect(await folder.lastLogLine()).toBeUndefined()
    await writeFile(join(folder.path, 'log.txt'), `${'line\n'.repeat(2000)}the end\n\n`)
    expect(await folder.lastLogLine()).toBe('the end')
  })

  test('leaves nothing when removed, and may be removed again', async () => {
    await folder.create(async () => pki)
    await folder.writeRecord(record)
    await folder.remove()
    await folder.remove()
    expect(await readdir(root)).toEqual([])
  })

  test('a refused write leaves the old text and no other file', async () => {
    await folder.create(async () => pki)
    await folder.writeRecord(record)
    const cyclic = { ...record, tokens: [] as unknown[] }
    cyclic.tokens.push(cyclic)
    expect(() => folder.writeRecord(cyclic as unknown as MemberRecord)).toThrow(TypeError)
    expect(await readFile(join(folder.path, 'member.json'), 'utf8')).toContain('"uid": "u"')
    expect((await readdir(folder.path)).toSorted()).toEqual(['member.json', 'pki'])
  })
})

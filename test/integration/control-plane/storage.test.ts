import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { CONFIGMAPS, configMap, startTestServer, testPki } from './harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'control-plane-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let path = ''
let count = 0
beforeEach(() => {
  count += 1
  path = join(folder, `${count}.db`)
})
const start = () => startTestServer({ storage: { type: 'sqlite', path } })

describe('a restart', () => {
  it('keeps objects, and no revision falls', async () => {
    const first = await start()
    await first.post(CONFIGMAPS, configMap('kept', { a: '1' }))
    await first.post(CONFIGMAPS, configMap('gone'))
    await first.delete(`${CONFIGMAPS}/gone`)
    const before = (await first.get(CONFIGMAPS)).json
    await first.close()
    const second = await start()
    const after = (await second.get(CONFIGMAPS)).json
    expect(after.items).toEqual(before.items)
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(before.metadata.resourceVersion))
    const next = (await second.post(CONFIGMAPS, configMap('next'))).json
    expect(Number(next.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion))
    await second.close()
  })

  it('resumes a watch that missed nothing, and tells an older one 410', async () => {
    const first = await start()
    const old = (await first.get(CONFIGMAPS)).json.metadata.resourceVersion
    await first.post(CONFIGMAPS, configMap('a'))
    const last = (await first.get(CONFIGMAPS)).json.metadata.resourceVersion
    await first.close()
    const second = await start()
    const resumed = await second.watch(`${CONFIGMAPS}?watch=true&resourceVersion=${last}`)
    await second.post(CONFIGMAPS, configMap('b'))
    expect((await resumed.until((all) => all.length === 1))[0]?.object.metadata.name).toBe('b')
    resumed.stop()
    const [event] = await (await second.watch(`${CONFIGMAPS}?watch=true&resourceVersion=${old}`)).ended()
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410 } })
    await second.close()
  })

  it('goes on with what was being deleted', async () => {
    const first = await start()
    await first.post('/api/v1/namespaces', { metadata: { name: 'ns' } })
    await first.post('/api/v1/namespaces/ns/configmaps', configMap('held', {}, { finalizers: ['example.com/x'] }))
    await first.delete('/api/v1/namespaces/ns')
    await first.close()
    const second = await start()
    await second.patch('/api/v1/namespaces/ns/configmaps/held', { metadata: { finalizers: null } })
    await second.eventually(
      async () => (await second.get('/api/v1/namespaces/ns')).status,
      (status) => status === 404,
    )
    await second.close()
  })
})

describe('an address that is taken', () => {
  it('fails with EADDRINUSE and leaves the file free for the next start', async () => {
    const other = await startTestServer()
    const taken = { storage: { type: 'sqlite' as const, path }, port: other.controlPlane.port }
    await expect(startTestServer(taken)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await (await start()).close()
    await other.close()
  })
})

describe('a kill', () => {
  it('loses no acknowledged write', async () => {
    const child = await startChild(path)
    const acknowledged: string[] = []
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    lines.on('line', (line) => acknowledged.push(line))
    while (acknowledged.length < 50) await once(lines, 'line')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const server = await start()
    const names = (await server.get(CONFIGMAPS)).json.items.map(
      (item: { metadata: { name: string } }) => item.metadata.name,
    )
    expect(names).toEqual(expect.arrayContaining(acknowledged))
    await server.close()
  })
})

/** A server that writes one object after the other and prints the name of each after its answer. */
async function startChild(file: string): Promise<ChildProcess> {
  const pkiFile = `${file}.pki.json`
  writeFileSync(pkiFile, JSON.stringify(await testPki()))
  return spawn(process.execPath, [join(import.meta.dirname, 'writer.fixture.ts'), file, pkiFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

describe('a file that cannot be used', () => {
  it('that is no database is refused as Corrupt and left alone', async () => {
    writeFileSync(path, 'this is not a database, but someone may need it')
    await expect(start()).rejects.toMatchObject({ code: 'Corrupt', message: expect.stringContaining(path) })
    expect(readFileSync(path, 'utf8')).toBe('this is not a database, but someone may need it')
  })

  it('that is damaged inside is refused as Corrupt', async () => {
    const server = await start()
    for (let n = 0; n < 40; n += 1) await server.post(CONFIGMAPS, configMap(`c${n}`, { a: 'x'.repeat(2000) }))
    await server.close()
    const bytes = readFileSync(path)
    bytes.fill(0xff, 4096, bytes.length)
    writeFileSync(path, bytes)
    await expect(start()).rejects.toMatchObject({ code: 'Corrupt' })
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  it('that belongs to another program is refused as Corrupt', async () => {
    const db = new DatabaseSync(path)
    db.exec('CREATE TABLE other (x)')
    db.close()
    await expect(start()).rejects.toMatchObject({ code: 'Corrupt' })
  })

  it('that a later version wrote is refused as TooNew', async () => {
    await (await start()).close()
    const db = new DatabaseSync(path)
    db.exec('PRAGMA user_version = 99')
    db.close()
    await expect(start()).rejects.toMatchObject({ code: 'TooNew' })
  })

  it('that another server has open is refused as Locked', async () => {
    const server = await start()
    await expect(start()).rejects.toMatchObject({ code: 'Locked' })
    await server.close()
  })

  it('in a folder that is not there is refused as Unreadable', async () => {
    path = join(folder, 'nowhere', 'x.db')
    await expect(start()).rejects.toMatchObject({ code: 'Unreadable', message: expect.stringContaining('folder') })
  })
})

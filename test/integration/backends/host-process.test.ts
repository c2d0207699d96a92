import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  type HostHandle,
  HostStartError,
  type StartHostOptions,
  startHost,
} from '../../../src/backends/embedded/host-process.ts'
import { identify } from '../../../src/backends/embedded/process-identity.ts'
import { compileCacheDir } from '../../contract/compile-cache.ts'
import { requestWithKubeconfig } from '../../contract/server-harness.ts'
import { untilTrue } from '../../contract/until.ts'

const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kobe-system' } }

let root: string
let open: HostHandle | undefined

async function start(changes: Partial<StartHostOptions> = {}): Promise<HostHandle> {
  open = await startHost({
    stateDir: join(root, 'host'),
    storage: 'sqlite',
    version: 'v1.36.0',
    compileCacheDir,
    ...changes,
  })
  return open
}

const status = async (host: HostHandle, method: string, path: string, body?: unknown) =>
  (await requestWithKubeconfig(host.kubeconfig, method, path, body)).status

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kobe-host-'))
})
afterEach(async () => {
  await open?.destroy()
  open = undefined
  await rm(root, { recursive: true, force: true })
})

test('a host answers, outlives its program and is found again', async () => {
  const first = await start()
  expect(first.adopted).toBe(false)
  expect(await status(first, 'POST', '/api/v1/namespaces', namespace)).toBe(201)
  await first.close()
  const second = await start()
  expect(second).toMatchObject({ adopted: true, pid: first.pid, url: first.url, kubeconfig: first.kubeconfig })
  expect(await status(second, 'GET', '/api/v1/namespaces/kobe-system')).toBe(200)
})

test('a stopped host keeps its data and its address', async () => {
  const first = await start()
  expect(await status(first, 'POST', '/api/v1/namespaces', namespace)).toBe(201)
  await first.stop()
  const second = await start()
  expect(second).toMatchObject({ adopted: false, url: first.url, kubeconfig: first.kubeconfig })
  expect(await status(second, 'GET', '/api/v1/namespaces/kobe-system')).toBe(200)
})

test('a host that dies while it is watched comes back with its data', async () => {
  const host = await start()
  expect(await status(host, 'POST', '/api/v1/namespaces', namespace)).toBe(201)
  process.kill(host.pid, 'SIGKILL')
  const answers = () => status(host, 'GET', '/api/v1/namespaces/kobe-system').catch(() => 0)
  await untilTrue(async () => (await answers()) === 200, 'it answers again', 20_000)
})

test('a host in memory leaves nothing when stopped', async () => {
  await (await start({ storage: 'memory' })).stop()
  open = undefined
  expect(await readdir(root)).toEqual([])
})

test('a host in memory begins anew when its process died', async () => {
  const first = await start({ storage: 'memory' })
  await first.close()
  process.kill(first.pid, 'SIGKILL')
  await untilTrue(async () => (await identify(first.pid)) === undefined, 'it ended', 20_000)
  const second = await start({ storage: 'memory' })
  expect(second.pid).not.toBe(first.pid)
  expect(await status(second, 'GET', '/version')).toBe(200)
})

test('a host that hangs is started anew with its data', async () => {
  const first = await start()
  expect(await status(first, 'POST', '/api/v1/namespaces', namespace)).toBe(201)
  await first.close()
  process.kill(first.pid, 'SIGSTOP')
  const second = await start()
  expect(second).toMatchObject({ adopted: false, url: first.url })
  expect(await status(second, 'GET', '/api/v1/namespaces/kobe-system')).toBe(200)
})

test('data in a file is not taken for data in memory, and stays', async () => {
  const first = await start()
  expect(await status(first, 'POST', '/api/v1/namespaces', namespace)).toBe(201)
  await first.stop()
  await expect(start({ storage: 'memory' })).rejects.toMatchObject({ code: 'StorageDiffers' })
  expect(await status(await start(), 'GET', '/api/v1/namespaces/kobe-system')).toBe(200)
})

test('a stopped host takes the version and the tokens asked for now', async () => {
  await (await start()).stop()
  const tokens = [{ token: 'a-token', user: 'somebody', groups: ['system:masters'] }]
  const host = await start({ version: 'v1.35.1', tokens })
  const { body } = await requestWithKubeconfig(host.kubeconfig, 'GET', '/version')
  expect(body).toMatchObject({ gitVersion: 'v1.35.1' })
})

test('a taken port is refused at once, with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const error = await start({ port }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(HostStartError)
  expect(error).toMatchObject({ code: 'PortTaken', message: expect.stringContaining(`port ${port}`) })
  other.close()
  await once(other, 'close')
  expect((await start({ port })).url).toBe(`https://127.0.0.1:${port}`)
})

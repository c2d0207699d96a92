/** The harness of backends whose members are real servers of the embedded backend. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { parse } from 'yaml'
import type { Backend as BackendSpec } from '../../src/api/v1alpha1/cluster-pool.ts'
import { createEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.ts'
import { isAlive, type ProcessIdentity } from '../../src/backends/embedded/process-identity.ts'
import { systemClock } from '../../src/kube/clock.ts'
import { silentLog } from '../../src/kube/log.ts'
import type { BackendHarness, ServerHarness } from './backend-contract.ts'
import { compileCacheDir } from './compile-cache.ts'
import { untilTrue } from './until.ts'

interface RunningMember {
  readonly process: ProcessIdentity
  readonly port: number
}

export async function embeddedHarness(spec: BackendSpec): Promise<BackendHarness> {
  const stateDir = await mkdtemp(join(tmpdir(), 'kobe-contract-'))
  const seen = new Map<string, RunningMember>()
  const running = async (name: string): Promise<RunningMember> => {
    const ready = await readFile(join(stateDir, 'members', name, 'ready.json'), 'utf8')
    const member = JSON.parse(ready) as RunningMember
    seen.set(name, member)
    return member
  }
  const servers: ServerHarness = {
    request: requestWithKubeconfig,
    pid: async (name) => (await running(name)).process.pid,
    async leftovers(name) {
      const member = seen.get(name) ?? (await running(name))
      return leftovers(stateDir, name, member)
    },
  }
  return {
    spec,
    cluster: { version: 'v1.36.0', servers: 1, serverArgs: [] },
    servers,
    open: async () => createEmbeddedBackend({ stateDir, compileCacheDir, clock: systemClock, log: silentLog }),
    async close() {
      await untilTrue(
        async () => (await readdirIfThere(join(stateDir, 'shared'))).length === 0,
        'no shared process is left',
        5000,
      )
      await rm(stateDir, { recursive: true })
    },
  }
}

async function leftovers(stateDir: string, name: string, member: RunningMember): Promise<string[]> {
  const left = (await readdirIfThere(join(stateDir, 'members'))).filter((entry) => entry.startsWith(name))
  if (await listens(member.port)) left.push(`port ${member.port}`)
  const others = await readdirIfThere(join(stateDir, 'shared'))
  if (others.length === 0 && !(await endsSoon(member.process))) left.push(`process ${member.process.pid}`)
  return left
}

/** A shared process removes its folder, and ends right after. */
async function endsSoon(identity: ProcessIdentity): Promise<boolean> {
  const end = performance.now() + 2000
  while (performance.now() < end) {
    if (!(await isAlive(identity))) return true
    await delay(10)
  }
  return false
}

async function readdirIfThere(path: string): Promise<string[]> {
  return readdir(path).catch(() => [])
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

interface Kubeconfig {
  readonly clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
  readonly users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }]
}

const decode = (data: string) => Buffer.from(data, 'base64').toString()

export function requestWithKubeconfig(
  kubeconfig: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig
  const options = {
    method,
    ca: decode(clusters[0].cluster['certificate-authority-data']),
    cert: decode(users[0].user['client-certificate-data']),
    key: decode(users[0].user['client-key-data']),
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    timeout: 5000,
    agent: false as const,
  }
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, clusters[0].cluster.server), options, (response) => {
      const isJson = response.headers['content-type']?.includes('json') === true
      const read: Promise<unknown> = isJson ? json(response) : text(response)
      read.then((value) => resolve({ status: response.statusCode ?? 0, body: value }), reject)
    })
    sent.once('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

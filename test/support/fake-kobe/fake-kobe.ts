/**
 * A Kobe whose members are made in memory: an API server, and as many operators as a test wants, each in a process of its own.
 * For tests and measurements that need hundreds of members.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NAMESPACES, SECRETS } from '../../../src/api/core-resources.ts'
import type { AccessPolicy } from '../../../src/api/v1alpha1/access-policy.ts'
import type { ClusterPoolInput } from '../../../src/api/v1alpha1/cluster-pool.ts'
import { customResourceDefinitions } from '../../../src/api/v1alpha1/crds.ts'
import { withClusterPoolDefaults } from '../../../src/api/v1alpha1/defaults.ts'
import { ACCESS_POLICIES, CLUSTER_INSTANCES, CLUSTER_POOLS } from '../../../src/api/v1alpha1/resources.ts'
import { systemClock } from '../../../src/kube/clock.ts'
import { installCustomResources } from '../../../src/kube/install-custom-resources.ts'
import { type ClosableKubeClient, createKubeClient } from '../../../src/kube/kube-client.ts'
import { checkAnswer, committedCheck } from '../answer-check.ts'
import { eventually, NODE } from '../run.ts'
import { NAMESPACE, type OperatorFigures } from './figures.ts'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of any route
  readonly body: any
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface FakeOperator {
  readonly httpUrl: string
  readonly pid: number
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>
  figures(): Promise<OperatorFigures>
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>
}

export interface FakeKobe extends AsyncDisposable {
  readonly client: ClosableKubeClient
  start(options?: OperatorOptions): Promise<FakeOperator>
  /** Processor time of the API server since its start. */
  hostCpuMs(): Promise<number>
  makePool(name: string, spec: Partial<ClusterPoolInput['spec']>): Promise<void>
  /** A principal with a token; the answer is the token. */
  makePrincipal(name: string, rule?: Partial<AccessPolicy['spec']['rules'][number]>): Promise<string>
  untilReady(pool: string, count: number, deadlineMs?: number): Promise<void>
}

export interface OperatorOptions {
  /** From the creation of a member until it answers. Milliseconds, default 0. */
  readonly provisionMs?: number
  readonly execArgv?: readonly string[]
}

export const TOKEN = 'a'.repeat(32)

export async function createFakeKobe(options: { readonly execArgv?: readonly string[] } = {}): Promise<FakeKobe> {
  committedCheck()
  const dir = mkdtempSync(join(tmpdir(), 'kobe-fake-'))
  const kubeconfig = join(dir, 'host.kubeconfig')
  const children = new Set<ChildProcess>()
  const launch = async (program: string, args: readonly string[], execArgv: readonly string[] = []) => {
    const child = fork(join(import.meta.dirname, program), [...args], { execPath: NODE, execArgv: [...execArgv] })
    children.add(child)
    child.once('exit', () => children.delete(child))
    return { child, hello: await messageOf<{ httpUrl: string }>(child, 'ready') }
  }
  const { child: host } = await launch('host.ts', [kubeconfig], options.execArgv)
  const client = createKubeClient({ kubeconfigPath: kubeconfig })
  await client.create(NAMESPACES, { metadata: { name: NAMESPACE } })
  await installCustomResources(client, customResourceDefinitions(), systemClock)
  const kobe: FakeKobe = {
    client,
    async start({ provisionMs = 0, execArgv } = {}) {
      const { child, hello } = await launch('operator.ts', [kubeconfig, dir, String(provisionMs)], execArgv)
      return operatorOf(child, hello.httpUrl)
    },
    async hostCpuMs() {
      const answer = messageOf<{ cpuMs: number }>(host, 'cpuMs')
      host.send('cpu')
      return (await answer).cpuMs
    },
    async makePool(name, spec) {
      const cluster = { version: 'v1.35.0' }
      await client.create(
        CLUSTER_POOLS,
        withClusterPoolDefaults({
          metadata: { name, namespace: NAMESPACE },
          spec: { backend: { type: 'k3s' }, cluster, maxConcurrentCreates: 64, ...spec },
        }),
      )
    },
    async makePrincipal(name, rule = {}) {
      const token = name === 'ci' ? TOKEN : `${name}-${'t'.repeat(32)}`
      await client.create(SECRETS, {
        metadata: { name: `${name}-token`, namespace: NAMESPACE },
        data: { token: Buffer.from(token).toString('base64') },
      })
      await client.create(ACCESS_POLICIES, {
        metadata: { name, namespace: NAMESPACE },
        spec: {
          auth: { token: { secretRef: `${name}-token` } },
          identity: name,
          rules: [{ pools: ['*'], maxTtl: '4h', maxConcurrentLeases: 1000, maxExtensions: 2, ...rule }],
        },
      })
      return token
    },
    untilReady: (pool, count, deadlineMs = 60_000) =>
      eventually(`${count} members of ${pool} are Ready`, deadlineMs, async () => {
        const { items } = await client.list(CLUSTER_INSTANCES, { namespace: NAMESPACE })
        return (
          items.filter(({ spec, status }) => spec.poolRef?.name === pool && status?.phase === 'Ready').length >= count
        )
      }).then(() => undefined),
    async [Symbol.asyncDispose]() {
      client.close()
      await Promise.all([...children].map(end))
      rmSync(dir, { recursive: true, force: true })
    },
  }
  return kobe
}

/** Asks for an end first, so that a profile is written. */
async function end(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode !== null || child.signalCode !== null) return
  child.disconnect()
  await gone
}

function operatorOf(child: ChildProcess, httpUrl: string): FakeOperator {
  const agent = new Agent({ keepAlive: true, maxSockets: 400 })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    httpUrl,
    pid: child.pid ?? -1,
    call: (method, path, body, headers) => call(agent, `${httpUrl}${path}`, { method, body, headers }),
    async figures() {
      const answer = messageOf<{ figures: OperatorFigures }>(child, 'figures')
      child.send('figures')
      return (await answer).figures
    },
    async kill() {
      child.kill('SIGKILL')
      await gone
      agent.destroy()
    },
  }
}

interface Call {
  readonly method: string
  readonly body?: object | undefined
  readonly headers?: Record<string, string> | undefined
}

function call(agent: Agent, url: string, { method, body, headers }: Call): Promise<Answer> {
  const data = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const json = data === undefined ? {} : { 'content-type': 'application/json' }
    const outgoing = request(url, { method, agent, headers: { authorization: `Bearer ${TOKEN}`, ...json, ...headers } })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      let text = ''
      incoming.on('error', reject)
      incoming.on('data', (chunk) => {
        text += chunk
      })
      incoming.on('end', () => {
        const parsed = text === '' ? undefined : JSON.parse(text)
        const status = incoming.statusCode ?? 0
        const { pathname, search } = new URL(url)
        const contentType = incoming.headers['content-type'] ?? ''
        const misfit = checkAnswer({ method, url: `${pathname}${search}`, status, contentType, text })
        if (misfit !== undefined) reject(new Error(misfit))
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: parsed })
      })
    })
    outgoing.end(data)
  })
}

function messageOf<T>(child: ChildProcess, field: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const exited = (code: number | null) => reject(new Error(`the process ended with code ${code}`))
    const listen = (message: unknown): void => {
      if (typeof message !== 'object' || message === null || !(field in message)) return
      child.off('message', listen)
      child.off('exit', exited)
      resolve(message as T)
    }
    child.on('message', listen)
    child.once('exit', exited)
  })
}

/**
 * Starts a real etcd and kube-apiserver for a test: the judge of what a Kubernetes API server does. Needs the programs in
 * KUBEBUILDER_ASSETS or `.cache/assets/bin`; see `hasRealPair`.
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { assetsDir } from '../../scripts/assets/real-pair.ts'
import { eventually, ROOT, type Running, start } from './run.ts'

const ASSETS = assetsDir(ROOT)

/** False: tests that need the programs are to be skipped. */
export const hasRealPair = ASSETS !== undefined

/** False: the option `controllers` cannot be used. */
export const hasControllerManager = ASSETS !== undefined && existsSync(join(ASSETS, 'kube-controller-manager'))

export interface RealPairOptions {
  /** Also starts a kube-controller-manager with these `--controllers`, such as `*`; resolves when it leads. */
  readonly controllers?: string
}

export interface RealPair {
  /** Cluster admin. */
  readonly kubeconfigPath: string
  readonly url: string
  /** Bearer token of the cluster admin. */
  readonly token: string
  /** PEM of the serving certificate and its CA. */
  readonly caPem: string
  /** Ends both programs and removes their files. */
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 60_000

export async function startRealPair(options: RealPairOptions = {}): Promise<RealPair> {
  if (ASSETS === undefined)
    throw new Error('no kube-apiserver and etcd: run `npm run assets`, or set KUBEBUILDER_ASSETS')
  const dir = await mkdtemp(join(tmpdir(), 'kobe-real-pair-'))
  const running: Running[] = []
  const stop = async () => {
    for (const program of running.toReversed()) await end(program)
    await rm(dir, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const etcdUrl = await startEtcd(ASSETS, dir, running)
    const server = await startApiServer({ assets: ASSETS, dir, etcdUrl, running })
    const { controllers } = options
    if (controllers !== undefined) {
      await startControllerManager({ ...server, assets: ASSETS, dir, controllers, running })
    }
    return { ...server, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startEtcd(assets: string, dir: string, running: Running[]): Promise<string> {
  const [client, peer] = await freePorts()
  const url = `http://127.0.0.1:${client}`
  const etcd = start(join(assets, 'etcd'), [
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=http://127.0.0.1:${peer}`,
    '--unsafe-no-fsync',
    '--log-level=error',
  ])
  running.push(etcd)
  await answers('etcd', etcd, async () => (await fetch(`${url}/health`)).ok)
  return url
}

interface ApiServerInput {
  readonly assets: string
  readonly dir: string
  readonly etcdUrl: string
  readonly running: Running[]
}

async function startApiServer({ assets, dir, etcdUrl, running }: ApiServerInput) {
  const [port] = await freePorts()
  const url = `https://127.0.0.1:${port}`
  const token = randomBytes(16).toString('hex')
  const keyFile = join(dir, 'service-account.key')
  const tokenFile = join(dir, 'tokens.csv')
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  await writeFile(tokenFile, `${token},admin,admin,system:masters\n`, { mode: 0o600 })
  const server = start(join(assets, 'kube-apiserver'), [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(dir, 'certs')}`,
    `--service-account-key-file=${keyFile}`,
    `--service-account-signing-key-file=${keyFile}`,
    `--service-account-issuer=${url}`,
    `--token-auth-file=${tokenFile}`,
    '--authorization-mode=RBAC',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--disable-admission-plugins=ServiceAccount',
  ])
  running.push(server)
  // The server makes its own certificate on its first start.
  const caPem = await answers('kube-apiserver', server, () => readFile(join(dir, 'certs', 'apiserver.crt'), 'utf8'))
  await answers('kube-apiserver', server, async () => (await statusOf(`${url}/readyz`, token, caPem)) === 200)
  const kubeconfigPath = join(dir, 'kubeconfig')
  await writeFile(kubeconfigPath, renderKubeconfig(url, token, caPem), { mode: 0o600 })
  return { kubeconfigPath, url, token, caPem }
}

interface ControllerManagerInput {
  readonly assets: string
  readonly dir: string
  readonly controllers: string
  readonly running: Running[]
  readonly kubeconfigPath: string
  readonly url: string
  readonly token: string
  readonly caPem: string
}

async function startControllerManager(input: ControllerManagerInput): Promise<void> {
  const { assets, dir, controllers, running, kubeconfigPath, url, token, caPem } = input
  const rootCaFile = join(dir, 'root-ca.crt')
  await writeFile(rootCaFile, caPem)
  const manager = start(join(assets, 'kube-controller-manager'), [
    `--kubeconfig=${kubeconfigPath}`,
    `--controllers=${controllers}`,
    `--service-account-private-key-file=${join(dir, 'service-account.key')}`,
    `--root-ca-file=${rootCaFile}`,
    '--secure-port=0',
  ])
  running.push(manager)
  const lease = `${url}/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager`
  await answers('kube-controller-manager', manager, async () => (await statusOf(lease, token, caPem)) === 200)
}

/** Polls until `check` has a value; fails at once, with what the program printed, when the program has ended. */
async function answers<T>(name: string, program: Running, check: () => Promise<T>): Promise<T> {
  const died = program.exited.then((code) => {
    throw new Error(`${name} ended with exit code ${code}:\n${program.output().slice(-4000)}`)
  })
  return await Promise.race([eventually(`${name} answers`, START_TIMEOUT_MS, check), died])
}

function statusOf(url: string, token: string, ca: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { ca, headers: { authorization: `Bearer ${token}` } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    }).on('error', reject)
  })
}

async function end(program: Running): Promise<void> {
  program.child.kill('SIGKILL')
  await program.exited
}

/** Two ports that were free a moment ago: both programs want theirs named. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()]
  const [first, second] = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
        }),
    ),
  )
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  if (first === undefined || second === undefined) throw new Error('no free port on 127.0.0.1')
  return [first, second]
}

function renderKubeconfig(server: string, token: string, caPem: string): string {
  const ca = Buffer.from(caPem).toString('base64')
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'real',
    clusters: [{ name: 'real', cluster: { server, 'certificate-authority-data': ca } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'real', context: { cluster: 'real', user: 'admin', namespace: 'default' } }],
  })
}

/** The two servers that unmodified clients are run against, alike in what runs beside them: what deletes, nothing else. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { assetsDir } from '../../../scripts/assets/real-pair.ts'
import { createPki, renderKubeconfig, startControlPlane } from '../../../src/control-plane/index.ts'
import { hasRealPair, startRealPair } from '../../support/real-pair.ts'
import { kubectl, ok, ROOT, start } from '../../support/run.ts'

export interface Server {
  readonly kubeconfig: string
  readonly url: string
  stop(): Promise<void>
}

export interface ServerKind {
  readonly name: string
  readonly isReal: boolean
  readonly isMissing: boolean
  start(): Promise<Server>
}

export const SERVER_KINDS: readonly ServerKind[] = [
  { name: 'the embedded control plane', isReal: false, isMissing: false, start: startEmbedded },
  {
    name: `a real kube-apiserver${hasRealPair ? '' : ' (skipped: run `npm run assets`)'}`,
    isReal: true,
    isMissing: !hasRealPair,
    start: startReal,
  },
]

const TOKEN = 'parity-admin'

export async function startEmbedded(): Promise<Server> {
  const pki = await createPki({ hosts: ['127.0.0.1'] })
  const controlPlane = await startControlPlane({
    storage: { type: 'memory' },
    tls: { cert: pki.servingCert, key: pki.servingKey },
    clientCa: pki.caCert,
    tokens: [{ token: TOKEN, user: 'admin', groups: ['system:masters'] }],
    furnishNamespaces: false,
  })
  const kubeconfig = renderKubeconfig({ server: controlPlane.url, caCert: pki.caCert, name: 'real', token: TOKEN })
  const dir = await mkdtemp(join(tmpdir(), 'kobe-embedded-'))
  await writeFile(join(dir, 'kubeconfig'), kubeconfig)
  await createDefinition(join(dir, 'kubeconfig'))
  return {
    kubeconfig,
    url: controlPlane.url,
    async stop() {
      await controlPlane.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** In every server: a real garbage collector learns of kinds that come later only every half minute. */
const CRD = join(import.meta.dirname, 'manifests', 'crd.yaml')

async function createDefinition(kubeconfigPath: string): Promise<void> {
  await kubectl(kubeconfigPath, ['create', '-f', CRD])
  await kubectl(kubeconfigPath, ['wait', '--for=condition=Established', '-f', CRD])
}

/** The pair, and of the real controller manager what deletes: our server does that by itself. */
export async function startReal(): Promise<Server> {
  const pair = await startRealPair()
  await createDefinition(pair.kubeconfigPath)
  const manager = start(join(assetsDir(ROOT) ?? '', 'kube-controller-manager'), [
    `--kubeconfig=${pair.kubeconfigPath}`,
    '--controllers=garbage-collector-controller,namespace-controller',
    '--leader-elect=false',
    '--secure-port=0',
  ])
  return {
    kubeconfig: await readFile(pair.kubeconfigPath, 'utf8'),
    url: pair.url,
    async stop() {
      manager.child.kill('SIGKILL')
      await manager.exited
      await pair.stop()
    },
  }
}

/** SHA-256 of the kube-apiserver that answered. */
export async function realServerDigest(): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(assetsDir(ROOT) ?? '', 'kube-apiserver')), hash)
  return hash.digest('hex')
}

export async function realServerVersion(): Promise<string> {
  return (await ok(join(assetsDir(ROOT) ?? '', 'kube-apiserver'), ['--version'])).trim()
}

/** The two servers that scenarios are sent to. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { assetsDir } from '../../scripts/assets/real-pair.ts'
import { createPki, startControlPlane } from '../../src/control-plane/index.ts'
import { startRealPair } from '../support/real-pair.ts'
import { ROOT, start } from '../support/run.ts'
import type { Endpoint } from './transport.ts'

export interface ServerUnderTest {
  readonly endpoint: Endpoint
  stop(): Promise<void>
}

const TOKEN = 'conformance-admin'

export async function startOurs(): Promise<ServerUnderTest> {
  const pki = await createPki({ hosts: ['127.0.0.1'] })
  const controlPlane = await startControlPlane({
    storage: { type: 'memory' },
    tls: { cert: pki.servingCert, key: pki.servingKey },
    clientCa: pki.caCert,
    tokens: [{ token: TOKEN, user: 'admin', groups: ['system:masters'] }],
    furnishNamespaces: false,
  })
  return {
    endpoint: { url: controlPlane.url, token: TOKEN, ca: pki.caCert },
    stop: () => controlPlane.close(),
  }
}

/** The pair, and of the real controller manager what our server does by itself: deletion, aggregation of roles. */
export async function startReal(): Promise<ServerUnderTest> {
  const assets = assetsDir(ROOT)
  const pair = await startRealPair()
  const manager = start(join(assets ?? '', 'kube-controller-manager'), [
    `--kubeconfig=${pair.kubeconfigPath}`,
    '--controllers=garbage-collector-controller,namespace-controller,clusterrole-aggregation-controller',
    '--leader-elect=false',
    '--secure-port=0',
  ])
  return {
    endpoint: { url: pair.url, token: pair.token, ca: pair.caPem },
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

/**
 * The API servers that tests of the client layer run against: our own, and a real kube-apiserver with etcd where the
 * programs are installed (real-pair.ts).
 */
import { readFile } from 'node:fs/promises'
import { createPki, renderKubeconfig, startControlPlane } from '../../src/control-plane/index.ts'
import { type ClosableKubeClient, createKubeClient } from '../../src/kube/kube-client.ts'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'
import { hasRealPair, startRealPair } from './real-pair.ts'
import { WatchLaw } from './watch-law.ts'

export interface HostUnderTest {
  readonly kubeconfig: string
  readonly url: string
  /** Closed by `stop`. */
  client(): ClosableKubeClient
  /** A client whose connections a test can cut. */
  cuttableClient(): Promise<{ client: ClosableKubeClient; proxy: CuttingProxy }>
  stop(): Promise<void>
}

export interface HostKind {
  readonly name: string
  readonly isReal: boolean
  readonly isMissing: boolean
  start(): Promise<HostUnderTest>
}

export const HOST_KINDS: readonly HostKind[] = [
  { name: 'the embedded control plane', isReal: false, isMissing: false, start: startEmbedded },
  {
    name: `a real kube-apiserver${hasRealPair ? '' : ' (skipped: run `npm run assets`)'}`,
    isReal: true,
    isMissing: !hasRealPair,
    start: startReal,
  },
]

async function startEmbedded(): Promise<HostUnderTest> {
  const pki = await createPki({ hosts: ['127.0.0.1'] })
  const controlPlane = await startControlPlane({
    storage: { type: 'memory' },
    tls: { cert: pki.servingCert, key: pki.servingKey },
    clientCa: pki.caCert,
  })
  const kubeconfig = renderKubeconfig({
    server: controlPlane.url,
    caCert: pki.caCert,
    name: 'host',
    clientCert: pki.adminCert,
    clientKey: pki.adminKey,
  })
  return hostOf(controlPlane.url, kubeconfig, () => controlPlane.close())
}

async function startReal(): Promise<HostUnderTest> {
  const real = await startRealPair()
  return hostOf(real.url, await readFile(real.kubeconfigPath, 'utf8'), () => real.stop())
}

function hostOf(url: string, kubeconfig: string, stop: () => Promise<void>): HostUnderTest {
  const opened: { close(): unknown }[] = []
  const law = new WatchLaw()
  const client = (text: string): ClosableKubeClient => {
    const made = law.wrap(createKubeClient({ kubeconfig: text }))
    opened.push(made)
    return made
  }
  return {
    kubeconfig,
    url,
    client: () => client(kubeconfig),
    async cuttableClient() {
      const proxy = await startCuttingProxy(url)
      opened.push(proxy)
      return { client: client(kubeconfig.replaceAll(url, `https://127.0.0.1:${proxy.port}`)), proxy }
    },
    async stop() {
      for (const one of opened) await one.close()
      await stop()
      law.enforce()
    },
  }
}

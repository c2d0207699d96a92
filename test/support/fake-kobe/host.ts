/**
 * Program: an API server in memory, in a process of its own so that it outlives the operators. Argument: where to write the
 * kubeconfig. Any message is answered with the processor time that it has used.
 */
import { writeFileSync } from 'node:fs'
import { createPki, renderKubeconfig, startControlPlane } from '../../../src/control-plane/index.ts'

const [kubeconfigPath = ''] = process.argv.slice(2)
const pki = await createPki({ hosts: ['127.0.0.1'] })
const { url } = await startControlPlane({
  storage: { type: 'memory' },
  tls: { cert: pki.servingCert, key: pki.servingKey },
  clientCa: pki.caCert,
  watchHistory: 32_768,
})
const client = { clientCert: pki.adminCert, clientKey: pki.adminKey }
writeFileSync(kubeconfigPath, renderKubeconfig({ server: url, caCert: pki.caCert, name: 'host', ...client }), {
  mode: 0o600,
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMs: (user + system) / 1000 })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ ready: true })

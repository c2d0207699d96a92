/** The kubeconfig of a member's administrator, with its certificates inline. */
import type { Credentials } from './launcher.ts'

/** YAML, in its JSON form: a kubeconfig needs no more, and no YAML library is loaded for it. */
export function renderAdminKubeconfig(name: string, { url, pki }: Credentials): string {
  const user = `${name}-admin`
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(pki.caCert) } }],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': base64(pki.adminCert), 'client-key-data': base64(pki.adminKey) },
      },
    ],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  }
  return `${JSON.stringify(config, undefined, 2)}\n`
}

function base64(pem: string): string {
  return Buffer.from(pem).toString('base64')
}

/** The kubeconfig of a member's administrator, with its certificates inline. */
import { renderKubeconfig } from '../../control-plane/pki/index.ts'
import type { Credentials } from './launcher.ts'

export function renderAdminKubeconfig(name: string, { url, pki }: Credentials): string {
  const { caCert, adminCert, adminKey } = pki
  return renderKubeconfig({ name, server: url, caCert, clientCert: adminCert, clientKey: adminKey })
}

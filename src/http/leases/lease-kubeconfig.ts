/** The kubeconfig handed out for a bound lease: our proxy, our CA, the token of the lease. */
import { stringify } from 'yaml'
import { field } from '../../core/optional-field.ts'

export interface LeaseKubeconfig {
  readonly leaseName: string
  readonly clusterName: string
  readonly publicUrl: string
  readonly caPem?: string | undefined
  readonly token: string
}

export function renderLeaseKubeconfig({ leaseName, clusterName, publicUrl, caPem, token }: LeaseKubeconfig): string {
  const ca = caPem === undefined ? undefined : Buffer.from(caPem).toString('base64')
  const cluster = {
    server: `${publicUrl.replace(/\/+$/, '')}/connect/${leaseName}`,
    ...field('certificate-authority-data', ca),
  }
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: clusterName, cluster }],
      users: [{ name: leaseName, user: { token } }],
      contexts: [{ name: leaseName, context: { cluster: clusterName, user: leaseName } }],
      'current-context': leaseName,
    },
    { lineWidth: 0 },
  )
}

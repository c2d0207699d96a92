/** The kubeconfig handed out for a bound lease: our proxy, our CA, the token of the lease. */
export interface LeaseKubeconfig {
  readonly leaseName: string
  readonly clusterName: string
  readonly publicUrl: string
  readonly caPem?: string | undefined
  readonly token: string
}

/** Written by hand: one is made for every lease, and a YAML writer takes most of a millisecond for it. JSON text is YAML. */
export function renderLeaseKubeconfig({ leaseName, clusterName, publicUrl, caPem, token }: LeaseKubeconfig): string {
  const lease = JSON.stringify(leaseName)
  const cluster = JSON.stringify(clusterName)
  const server = JSON.stringify(`${publicUrl.replace(/\/+$/, '')}/connect/${leaseName}`)
  const ca = caPem === undefined ? [] : [JSON.stringify(Buffer.from(caPem).toString('base64'))]
  return [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `  - name: ${cluster}`,
    '    cluster:',
    `      server: ${server}`,
    ...ca.map((data) => `      certificate-authority-data: ${data}`),
    'users:',
    `  - name: ${lease}`,
    '    user:',
    `      token: ${JSON.stringify(token)}`,
    'contexts:',
    `  - name: ${lease}`,
    '    context:',
    `      cluster: ${cluster}`,
    `      user: ${lease}`,
    `current-context: ${lease}`,
    '',
  ].join('\n')
}

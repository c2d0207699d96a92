/** Writes kubeconfig files. */
interface KubeconfigBase {
  /** `https://host:port` */
  readonly server: string
  /** PEM. */
  readonly caCert: string
  /** Names the cluster, the user and the context. */
  readonly name: string
  /** Default namespace of the context. Default: none, which clients take as `default`. */
  readonly namespace?: string
}

export type KubeconfigOptions = KubeconfigBase &
  ({ readonly clientCert: string; readonly clientKey: string } | { readonly token: string })

/** A kubeconfig (YAML) with one context, which is the current one. It holds a credential: keep it at mode 0600. */
export function renderKubeconfig(options: KubeconfigOptions): string {
  // Written out line by line: the YAML code is larger than everything else that making a cluster loads.
  const name = JSON.stringify(options.name)
  const namespace = options.namespace === undefined ? [] : [`    namespace: ${JSON.stringify(options.namespace)}`]
  const lines = [
    'apiVersion: v1',
    'kind: Config',
    'clusters:',
    `- name: ${name}`,
    '  cluster:',
    `    server: ${JSON.stringify(options.server)}`,
    `    certificate-authority-data: ${base64(options.caCert)}`,
    'users:',
    `- name: ${name}`,
    '  user:',
    ...credentialLines(options),
    'contexts:',
    `- name: ${name}`,
    '  context:',
    `    cluster: ${name}`,
    `    user: ${name}`,
    ...namespace,
    `current-context: ${name}`,
  ]
  return `${lines.join('\n')}\n`
}

function credentialLines(options: KubeconfigOptions): string[] {
  if ('token' in options) return [`    token: ${JSON.stringify(options.token)}`]
  return [
    `    client-certificate-data: ${base64(options.clientCert)}`,
    `    client-key-data: ${base64(options.clientKey)}`,
  ]
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

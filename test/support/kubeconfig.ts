/** Kubeconfig texts for tests. */
export function kubeconfigText(server: string, user: object = {}, cluster: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'c', user: 'u', namespace: 'work' } }],
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
  })
}

/** Everything the k3s backend applies for one member, in the order in which it is applied. */
import { stringify } from 'yaml'
import { type Manifest, metadataOf, secretOf } from '../../render/manifest.ts'
import { agentDeployment } from './agents.ts'
import { hasMirrors, type K3sInput, type K3sSecrets, usesDatastore } from './input.ts'
import { serverDisruptionBudget, serverService, serverStatefulSet } from './server.ts'

export function k3sManifests(input: K3sInput, secrets: K3sSecrets): Manifest[] {
  return [...k3sSecrets(input, secrets), ...k3sWorkload(input)]
}

/** All but the Secrets: what a template comes to, without a value that differs from member to member. */
export function k3sWorkload(input: K3sInput): Manifest[] {
  const parts = [
    registriesConfigMap(input),
    serverService(input),
    serverStatefulSet(input),
    serverDisruptionBudget(input),
    agentDeployment(input),
  ]
  return parts.filter((part) => part !== undefined)
}

function k3sSecrets(input: K3sInput, secrets: K3sSecrets): Manifest[] {
  const { token, nodePassword, authorities, datastoreEndpoint } = secrets
  const datastore =
    usesDatastore(input) && datastoreEndpoint !== undefined
      ? [secretOf(input, 'datastore', { endpoint: datastoreEndpoint })]
      : []
  return [
    secretOf(input, 'token', { token, 'node-password': nodePassword }),
    secretOf(input, 'authorities', authorities),
    ...datastore,
  ]
}

function registriesConfigMap(input: K3sInput): Manifest | undefined {
  if (!hasMirrors(input)) return undefined
  const mirrors = Object.entries(input.cluster.registryMirrors ?? {}).map(
    ([registry, endpoint]) => [registry, { endpoint }] as const,
  )
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadataOf(input, 'registries'),
    data: { 'registries.yaml': stringify({ mirrors: Object.fromEntries(mirrors) }) },
  }
}

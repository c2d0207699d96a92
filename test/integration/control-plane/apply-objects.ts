/** Objects that the apply cases write. */
import type { Json } from './apply-steps.ts'

export const configMap = (name: string, data: Json, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

export const deployment = (name: string, spec: Json = {}, container: Json = {}): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name } },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'example.com/main:1', ...container }] },
    },
    ...spec,
  },
})

/** What a second manager states of a Deployment: only what it wants to own. */
export const part = (name: string, spec: Json): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec,
})

export const containersOf = (name: string, containers: Json[]): Json =>
  part(name, { template: { spec: { containers } } })

export const service = (name: string, ports: Json[], spec: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { selector: { app: name }, ports, ...spec },
})

export const pod = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  // Named, because admission adds it on one server and not on the other.
  spec: { containers: [{ name: 'main', image: 'example.com/main:1' }], serviceAccountName: 'default', ...spec },
})

export function manyContainers(name: string, names: string[]): Json {
  const made = deployment(name)
  made['spec'].template.spec.containers = names.map((container) => ({ name: container, image: 'x' }))
  return made
}

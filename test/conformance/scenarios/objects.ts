/** Bodies that several scenarios send. */

export const CONFIGMAPS = '/api/v1/namespaces/{ns}/configmaps'
export const PODS = '/api/v1/namespaces/{ns}/pods'
export const SERVICES = '/api/v1/namespaces/{ns}/services'
export const DEPLOYMENTS = '/apis/apps/v1/namespaces/{ns}/deployments'
export const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

type Json = Record<string, unknown>

export const configMap = (name: string, data: Json = {}, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

export const pod = (name: string, metadata: Json = {}, spec: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'registry.example/app:1.2' }], serviceAccountName: 'default', ...spec },
})

export const deployment = (name: string, spec: Json = {}): Json => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'main', image: 'registry.example/app:1.2', ports: [{ containerPort: 80 }] }] },
    },
    ...spec,
  },
})

interface CrdInput {
  readonly group: string
  readonly plural: string
  readonly kind: string
  readonly versions: readonly Json[]
  readonly names?: Json
}

/** Groups are a scenario's own: two scenarios never share a kind. */
export const crd = ({ group, plural, kind, versions, names = {} }: CrdInput): Json => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: { group, scope: 'Namespaced', names: { plural, kind, ...names }, versions },
})

export const crdVersion = (name: string, properties: Json, rest: Json = {}): Json => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', properties } },
  ...rest,
})

/** Addresses of built-in kinds for tests. */
import type { KubeObject, ResourceType } from '../../src/api/resource.ts'

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>
}

export const configMaps: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}

export const namespaces: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

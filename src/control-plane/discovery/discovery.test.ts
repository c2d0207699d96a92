import { expect, test } from 'vitest'
import { builtinResources } from '../builtin/index.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { discoveryResponse } from './discovery.ts'
import { compareVersions } from './version-order.ts'

const KUBECTL =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json'

const custom = (group: string, version: string, kind: string): ResourceDefinition => ({
  group,
  version,
  kind,
  listKind: `${kind}List`,
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  shortNames: [],
  categories: ['all'],
  namespaced: true,
  verbs: ['get', 'list', 'watch'],
  subresources: { status: true, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  schema: () => ({}),
  resolve: () => ({}),
  columns: [],
  origin: 'custom',
  storageVersion: version,
  prune: true,
  selectableFields: [],
})

const definitions = [
  ...builtinResources(),
  custom('zoo.example.com', 'v1beta1', 'Lion'),
  custom('zoo.example.com', 'v2', 'Lion'),
  custom('a.example.com', 'v1', 'Ant'),
]

const get = (path: string, accept = '*/*') => {
  const response = discoveryResponse(path, accept, definitions)
  return response && { ...response, json: JSON.parse(response.body) }
}

test('the aggregated answer carries all parameters in its content type', () => {
  expect(get('/apis', KUBECTL)?.contentType).toBe(
    'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  )
  const older = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json'
  expect(get('/api', older)?.json.apiVersion).toBe('apidiscovery.k8s.io/v2beta1')
})

test.each(['*/*', 'application/json', 'application/json, */*', 'application/json;as=Other;g=x;v=v9,application/json'])(
  'Accept: %s is answered in the old form',
  (accept) => {
    expect(get('/apis', accept)?.contentType).toBe('application/json')
    expect(get('/apis', accept)?.json.kind).toBe('APIGroupList')
    expect(get('/api', accept)?.json).toMatchObject({ kind: 'APIVersions', versions: ['v1'] })
  },
)

test('built-in groups keep the order of their priority and custom ones follow by name', () => {
  const names = get('/apis')?.json.groups.map((group: { name: string }) => group.name)
  expect(names.slice(0, 3)).toEqual(['apiregistration.k8s.io', 'apps', 'events.k8s.io'])
  expect(names.slice(-2)).toEqual(['a.example.com', 'zoo.example.com'])
  expect(names).not.toContain('')
})

test('the preferred version is the most stable and newest one', () => {
  expect(get('/apis/zoo.example.com')?.json.preferredVersion.version).toBe('v2')
  expect(get('/apis/autoscaling')?.json.preferredVersion.version).toBe('v2')
})

test('the eviction and scale subresources name the group and version of their bodies', () => {
  const core = get('/api/v1')?.json.resources
  expect(core.find((resource: { name: string }) => resource.name === 'pods/eviction')).toMatchObject({
    group: 'policy',
    version: 'v1',
    kind: 'Eviction',
  })
  const apps = get('/apis/apps/v1')?.json.resources
  expect(apps.find((resource: { name: string }) => resource.name === 'deployments/scale')).toMatchObject({
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
  })
  expect(apps.find((resource: { name: string }) => resource.name === 'deployments')).not.toHaveProperty('group')
})

test('the category all holds the kinds that kubectl get all shows', () => {
  const items = [...(get('/api', KUBECTL)?.json.items ?? []), ...(get('/apis', KUBECTL)?.json.items ?? [])]
  const all = items
    .flatMap((item) => item.versions)
    .flatMap((version) => version.resources)
    .filter((resource) => resource.categories?.includes('all'))
    .map((resource) => resource.resource)
  expect([...new Set(all)].sort()).toEqual(
    ['ants', 'cronjobs', 'daemonsets', 'deployments', 'horizontalpodautoscalers', 'jobs', 'lions', 'pods']
      .concat(['replicasets', 'replicationcontrollers', 'services', 'statefulsets'])
      .sort(),
  )
})

test('what is stored carries the hash of its storage version', () => {
  const hashOf = (path: string, name: string): unknown =>
    get(path)?.json.resources.find((resource: { name: string }) => resource.name === name).storageVersionHash
  expect(hashOf('/api/v1', 'pods')).toBe('xPOwRZ+Yhw8=')
  expect(hashOf('/apis/autoscaling/v1', 'horizontalpodautoscalers')).toBe('qwQve8ut294=')
  expect(hashOf('/apis/events.k8s.io/v1', 'events')).toBe('r2yiGXH7wu8=')
  expect(hashOf('/apis/authorization.k8s.io/v1', 'subjectaccessreviews')).toBeUndefined()
})

test.each(['/apis/nobody', '/apis/apps/v9', '/api/v2', '/apis/apps/v1/deployments', '/healthz', '/', ''])(
  '%s is not discovery',
  (path) => {
    expect(get(path)).toBeUndefined()
  },
)

test('versions are ordered by stability, then number, then name', () => {
  const versions = ['v1alpha1', 'foo10', 'v10', 'v1', 'v11beta2', 'v2', 'foo1', 'v3beta1', 'v11alpha2']
  expect(versions.sort(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v3beta1',
    'v11alpha2',
    'v1alpha1',
    'foo1',
    'foo10',
  ])
})

import { expect, test } from 'vitest'
import { builtinResources } from '../builtin/index.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Schema } from '../schema/schema.ts'
import { openapiDocument, openapiIndex } from './openapi.ts'

const lion = (spec: Schema): ResourceDefinition => ({
  group: 'zoo.example.com',
  version: 'v1',
  kind: 'Lion',
  listKind: 'LionList',
  plural: 'lions',
  singular: 'lion',
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: { status: true, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  schema: () => ({ type: 'object', properties: { spec } }),
  resolve: () => ({}),
  columns: [],
  origin: 'custom',
  storageVersion: 'v1',
  prune: true,
  selectableFields: [],
})

const definitions = [...builtinResources(), lion({ type: 'object' })]

interface Document {
  paths: Record<
    string,
    Record<string, { requestBody: { content: object }; parameters: Array<{ name: string }>; operationId: string }>
  >
  components: { schemas: Record<string, Schema> }
}

const index = (from = definitions): Record<string, { serverRelativeURL: string }> =>
  JSON.parse(openapiIndex(from)).paths
const document = (path: string): Document => JSON.parse(openapiDocument(path, definitions)!)

test('every document of the index exists, and every reference in it leads to a schema', () => {
  for (const path of Object.keys(index())) {
    const text = openapiDocument(path, definitions)!
    const { schemas } = document(path).components
    for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      expect(Object.hasOwn(schemas, name!), `${path}: ${name}`).toBe(true)
    }
  }
})

test('operation IDs are unique', () => {
  const ids = Object.keys(index()).flatMap((path) =>
    Object.values(document(path).paths)
      .flatMap((item) => Object.values(item))
      .map(({ operationId }) => operationId)
      .filter(Boolean),
  )
  expect(ids.length).toBeGreaterThan(400)
  expect(new Set(ids).size).toBe(ids.length)
})

test('schemas name their kinds, and references beside other keys are wrapped', () => {
  const { schemas } = document('apis/apps/v1').components
  const deployment = schemas['io.k8s.api.apps.v1.Deployment']!
  expect(deployment['x-kubernetes-group-version-kind']).toEqual([{ group: 'apps', version: 'v1', kind: 'Deployment' }])
  expect(schemas['io.k8s.api.apps.v1.DeploymentSpec']!.properties!['strategy']).toEqual({
    allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy' }],
    default: {},
    'x-kubernetes-patch-strategy': 'retainKeys',
  })
  expect(schemas['io.k8s.api.apps.v1.DeploymentSpec']!.required).toEqual(['selector', 'template'])
})

test('writes of built-in kinds take strategic patches and the parameters that kubectl looks for', () => {
  const { patch } = document('apis/apps/v1').paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']!
  expect(Object.keys(patch!.requestBody.content)).toContain('application/strategic-merge-patch+json')
  expect(patch!.parameters.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation', 'force']),
  )
})

test('a custom kind has its own schema with the standard fields, and takes no strategic patches', () => {
  const { paths, components } = document('apis/zoo.example.com/v1')
  const schema = components.schemas['com.example.zoo.v1.Lion']!
  expect(Object.keys(schema.properties!)).toEqual(['spec', 'apiVersion', 'kind', 'metadata'])
  expect(components.schemas['com.example.zoo.v1.LionList']!.properties!['items']).toEqual({
    type: 'array',
    items: { $ref: '#/components/schemas/com.example.zoo.v1.Lion' },
  })
  const item = paths['/apis/zoo.example.com/v1/namespaces/{namespace}/lions/{name}']!
  expect(Object.keys(item['patch']!.requestBody.content)).not.toContain('application/strategic-merge-patch+json')
})

test('the hash of a document changes with its custom kinds and with nothing else', () => {
  const changed = index([...builtinResources(), lion({ type: 'object', properties: { mane: { type: 'boolean' } } })])
  const [before, same] = [index(), index([...builtinResources(), lion({ type: 'object' })])]
  expect(same).toEqual(before)
  expect(changed['apis/zoo.example.com/v1']).not.toEqual(before['apis/zoo.example.com/v1'])
  expect(changed['api/v1']).toEqual(before['api/v1'])
})

test('a group version that is not served has no document', () => {
  expect(openapiDocument('apis/apps/v9', definitions)).toBeUndefined()
  expect(openapiDocument('', definitions)).toBeUndefined()
})

/** What a CRD makes of its custom resources, over real HTTPS: causes, defaults, subresources, columns, selection, patches. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './harness.ts'

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets'

type Json = Record<string, unknown>

const PROPERTIES = {
  size: { type: 'string', enum: ['small', 'large'] },
  replicas: { type: 'integer', default: 1, minimum: 0, maximum: 9 },
  name: { type: 'string', pattern: '^[a-z]+$', maxLength: 8 },
  port: { 'x-kubernetes-int-or-string': true },
  mode: { type: 'string', nullable: true },
  tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  parts: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['id'],
    items: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string' }, weight: { type: 'integer', default: 10 } },
    },
  },
  extra: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
}

const schemaWith = (properties: Json): Json => ({
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', required: ['size'], properties: { ...PROPERTIES, ...properties } },
      status: { type: 'object', properties: { replicas: { type: 'integer' }, phase: { type: 'string' } } },
    },
  },
})

const VERSION = {
  name: 'v1',
  served: true,
  storage: true,
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  },
  additionalPrinterColumns: [
    { name: 'Size', type: 'string', jsonPath: '.spec.size' },
    { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ],
  selectableFields: [{ jsonPath: '.spec.size' }],
  schema: schemaWith({}),
}

function crd(plural: string, kind: string, change: Json = {}, version: Json = {}): Json {
  const names = { plural, kind, shortNames: [`${plural.slice(0, 2)}x`], categories: ['all'] }
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [{ ...VERSION, ...version }], ...change },
  }
}

const widget = (name: string, spec: Json = {}, more: Json = {}): Json => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { size: 'small', ...spec },
  ...more,
})

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  const created = await server.post(CRDS, crd('widgets', 'Widget'))
  expect(created.status, created.text).toBe(201)
})
afterAll(() => server.close())

describe('a CRD', () => {
  it('is in discovery with its short names, categories and subresources', async () => {
    const { json } = await server.get('/apis/example.com/v1')
    const byName = Object.fromEntries(json.resources.map((resource: Json) => [resource['name'], resource]))
    expect(byName['widgets']).toMatchObject({ kind: 'Widget', shortNames: ['wix'], categories: ['all'] })
    expect(Object.keys(byName).sort()).toEqual(['widgets', 'widgets/scale', 'widgets/status'])
  })

  it.each<[string, Json, string, string]>([
    [
      'a name that does not fit',
      { ...crd('gadgets', 'Gadget'), metadata: { name: 'x.example.com' } },
      'metadata.name',
      'FieldValueInvalid',
    ],
    ['an unknown scope', crd('gadgets', 'Gadget', { scope: 'Global' }), 'spec.scope', 'FieldValueNotSupported'],
    ['no stored version', crd('gadgets', 'Gadget', {}, { storage: false }), 'spec.versions', 'FieldValueInvalid'],
    [
      'a schema that is not structural',
      crd('gadgets', 'Gadget', {}, { selectableFields: [], schema: schemaWith({ x: {} }) }),
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].type',
      'FieldValueRequired',
    ],
    [
      'a default that is not valid',
      crd('gadgets', 'Gadget', {}, { schema: schemaWith({ x: { type: 'integer', default: 'y' } }) }),
      'spec.validation.openAPIV3Schema.properties[spec].properties[x].default',
      'FieldValueTypeInvalid',
    ],
    [
      'a scale path outside of spec',
      crd(
        'gadgets',
        'Gadget',
        {},
        { subresources: { scale: { specReplicasPath: '.x', statusReplicasPath: '.status.x' } } },
      ),
      'spec.subresources.scale.specReplicasPath',
      'FieldValueInvalid',
    ],
    [
      'a selectable object',
      crd('gadgets', 'Gadget', {}, { selectableFields: [{ jsonPath: '.spec' }] }),
      'spec.selectableFields[0].jsonPath',
      'FieldValueInvalid',
    ],
  ])('is refused with %s', async (_rule, body, field, reason) => {
    const { status, json } = await server.post(CRDS, body)
    expect(status).toBe(422)
    expect(json.details).toMatchObject({ group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' })
    expect(json.details.causes).toEqual(expect.arrayContaining([expect.objectContaining({ field, reason })]))
  })

  it.each<[string, Json]>([
    ['spec.scope', { scope: 'Cluster' }],
    ['spec.names.kind', { names: { kind: 'Other' } }],
  ])('keeps its %s once it is established', async (field, spec) => {
    const { status, json } = await server.patch(`${CRDS}/widgets.example.com`, { spec })
    expect(status).toBe(422)
    expect(json.details.causes).toEqual([
      expect.objectContaining({ field, message: expect.stringContaining('field is immutable') }),
    ])
  })
})

describe('a custom resource', () => {
  it('is defaulted and pruned at every depth', async () => {
    const spec = { foo: 1, extra: { any: { thing: 1 } }, parts: [{ id: 'a', bar: 1 }] }
    const { status, json } = await server.post(WIDGETS, widget('defaulted', spec, { status: { phase: 'X' } }))
    expect(status).toBe(201)
    expect(json.spec).toEqual({
      size: 'small',
      replicas: 1,
      extra: { any: { thing: 1 } },
      parts: [{ id: 'a', weight: 10 }],
    })
    expect(json.status).toBeUndefined()
  })

  it('loses null of a field that is not nullable, and keeps it otherwise', async () => {
    const { json } = await server.post(WIDGETS, widget('nulls', { replicas: null, name: null, mode: null }))
    expect(json.spec).toEqual({ size: 'small', replicas: 1, mode: null })
  })

  it.each<[string, Json, string, string, string]>([
    [
      'a wrong type',
      { name: 1 },
      'FieldValueTypeInvalid',
      'spec.name',
      'Invalid value: "integer": spec.name in body must be of type string: "integer"',
    ],
    ['a missing field', { size: undefined }, 'FieldValueRequired', 'spec.size', 'Required value'],
    [
      'an unknown value',
      { size: 'huge' },
      'FieldValueNotSupported',
      'spec.size',
      'Unsupported value: "huge": supported values: "small", "large"',
    ],
    [
      'a number out of range',
      { replicas: 10 },
      'FieldValueInvalid',
      'spec.replicas',
      'Invalid value: 10: spec.replicas in body should be less than or equal to 9',
    ],
    [
      'a text that breaks the pattern',
      { name: 'A' },
      'FieldValueInvalid',
      'spec.name',
      'Invalid value: "A": spec.name in body should match \'^[a-z]+$\'',
    ],
    ['a long text', { name: 'abcdefghi' }, 'FieldValueTooLong', 'spec.name', 'Too long: may not be more than 8 bytes'],
    ['a duplicate in a set', { tags: ['a', 'a'] }, 'FieldValueDuplicate', 'spec.tags[1]', 'Duplicate value: "a"'],
    [
      'a duplicate key of a list map',
      { parts: [{ id: 'a' }, { id: 'a' }] },
      'FieldValueDuplicate',
      'spec.parts[1]',
      'Duplicate value: {"id":"a"}',
    ],
    [
      'a boolean for an int-or-string',
      { port: true },
      'FieldValueTypeInvalid',
      'spec.port',
      'Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
    ],
  ])('is refused with %s', async (...[, spec, reason, field, message]) => {
    const { status, json } = await server.post(WIDGETS, widget('bad', spec))
    expect(status).toBe(422)
    expect(json.details).toEqual({
      name: 'bad',
      group: 'example.com',
      kind: 'Widget',
      causes: [{ reason, message, field }],
    })
    expect(json.message).toBe(`Widget.example.com "bad" is invalid: ${field}: ${message}`)
  })

  it('is refused by fieldValidation=Strict with an unknown field, and warned of it by Warn', async () => {
    const strict = await server.post(`${WIDGETS}?fieldValidation=Strict`, widget('strict', { foo: 1 }))
    expect([strict.status, strict.json.reason]).toEqual([400, 'BadRequest'])
    expect(strict.json.message).toContain('unknown field "spec.foo"')
    const warned = await server.post(`${WIDGETS}?fieldValidation=Warn`, widget('warned', { foo: 1 }))
    expect(warned.status).toBe(201)
    expect(String(warned.headers['warning'])).toContain('unknown field \\"spec.foo\\"')
  })

  it('takes JSON and merge patches, no strategic ones', async () => {
    await server.post(WIDGETS, widget('patched'))
    const path = `${WIDGETS}/patched`
    const added = await server.patch(path, [{ op: 'add', path: '/spec/name', value: 'abc' }], 'json-patch+json')
    expect(added.json.spec.name).toBe('abc')
    const failed = await server.patch(path, [{ op: 'test', path: '/spec/name', value: 'x' }], 'json-patch+json')
    expect([failed.status, failed.json.message]).toEqual([
      422,
      'the server rejected our request due to an error in our request',
    ])
    expect((await server.patch(path, { spec: { name: null } })).json.spec).not.toHaveProperty('name')
    expect((await server.patch(path, { spec: {} }, 'strategic-merge-patch+json')).status).toBe(415)
    expect((await server.patch(path, { spec: { size: 'huge' } })).status).toBe(422)
  })
})

describe('subresources', () => {
  it('status writes the status only, the main endpoint everything else', async () => {
    await server.post(WIDGETS, widget('stat'))
    const path = `${WIDGETS}/stat`
    const viaStatus = await server.patch(`${path}/status`, { spec: { replicas: 5 }, status: { phase: 'Up', foo: 1 } })
    expect(viaStatus.json).toMatchObject({
      spec: { replicas: 1 },
      status: { phase: 'Up' },
      metadata: { generation: 1 },
    })
    expect(viaStatus.json.status).toEqual({ phase: 'Up' })
    const viaMain = await server.patch(path, { spec: { replicas: 5 }, status: { phase: 'Down' } })
    expect(viaMain.json).toMatchObject({ spec: { replicas: 5 }, status: { phase: 'Up' }, metadata: { generation: 2 } })
    expect((await server.patch(`${path}/status`, { status: { phase: 1 } })).status).toBe(422)
  })

  it('scale reads and writes the replicas', async () => {
    await server.post(WIDGETS, widget('scaled'))
    const path = `${WIDGETS}/scaled/scale`
    const scale = (await server.get(path)).json
    expect(scale).toMatchObject({ kind: 'Scale', apiVersion: 'autoscaling/v1', spec: { replicas: 1 } })
    expect((await server.patch(path, { spec: { replicas: 3 } })).json.spec.replicas).toBe(3)
    expect((await server.get(`${WIDGETS}/scaled`)).json.spec.replicas).toBe(3)
  })
})

describe('lists', () => {
  it('print the declared columns as a Table', async () => {
    await server.post(WIDGETS, widget('printed', { size: 'large' }))
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
    const { json } = await server.get(`${WIDGETS}/printed`, { headers })
    expect(json.columnDefinitions.map((column: Json) => [column['name'], column['priority']])).toEqual([
      ['Name', 0],
      ['Size', 0],
      ['Replicas', 1],
      ['Age', 0],
    ])
    expect(json.rows[0].cells.slice(0, 3)).toEqual(['printed', 'large', 1])
  })

  it('are selected by the declared fields and by no others', async () => {
    await server.post(WIDGETS, widget('big', { size: 'large' }))
    const { json } = await server.get(`${WIDGETS}?fieldSelector=spec.size%3Dlarge,metadata.name%3Dbig`)
    expect(json.items.map((item: Json) => (item['metadata'] as Json)['name'])).toEqual(['big'])
    expect((await server.get(`${WIDGETS}?fieldSelector=spec.name%3Dx`)).status).toBe(400)
  })

  it('are selected by labels, and refuse a selector that cannot be parsed', async () => {
    await server.post(WIDGETS, { ...widget('l1'), metadata: { name: 'l1', labels: { tier: 'a' } } })
    const { json } = await server.get(`${WIDGETS}?labelSelector=tier%20in%20(a,b)`)
    expect(json.items).toHaveLength(1)
    const broken = await server.get(`${WIDGETS}?labelSelector=a%20b`)
    expect([broken.status, broken.json.reason]).toEqual([400, 'BadRequest'])
  })
})

describe('the server', () => {
  it('left no failure behind that nobody was told of', () => {
    expect(server.errors).toEqual([])
  })
})

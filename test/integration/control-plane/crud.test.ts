import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONFIGMAPS, configMap, startTestServer, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const deployment = (name: string, spec: object = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    ...spec,
  },
})
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'

describe('create', () => {
  it('answers 201 with uid, creationTimestamp and resourceVersion', async () => {
    const { status, json } = await server.post(CONFIGMAPS, configMap('created', { a: '1' }))
    expect(status).toBe(201)
    expect(json).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'created', namespace: 'default' },
      data: { a: '1' },
    })
    expect(json.metadata.uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(json.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect((await server.get(`${CONFIGMAPS}/created`)).json).toEqual(json)
  })

  it('answers 409 AlreadyExists for a name that is taken', async () => {
    await server.post(CONFIGMAPS, configMap('taken'))
    const { status, json } = await server.post(CONFIGMAPS, configMap('taken'))
    expect(status).toBe(409)
    expect(json).toMatchObject({
      kind: 'Status',
      status: 'Failure',
      reason: 'AlreadyExists',
      message: 'configmaps "taken" already exists',
      details: { name: 'taken', kind: 'configmaps' },
      code: 409,
    })
  })

  it('makes a name from generateName', async () => {
    const body = configMap('', {}, { name: undefined, generateName: 'gen-' })
    const [one, two] = [await server.post(CONFIGMAPS, body), await server.post(CONFIGMAPS, body)]
    expect(one.json.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
    expect(two.json.metadata.name).not.toBe(one.json.metadata.name)
  })

  it.each([
    ['a broken name', configMap('Not_A_Name'), 'metadata.name', 'FieldValueInvalid'],
    ['no name', configMap('', {}), 'metadata.name', 'FieldValueRequired'],
    ['a broken label value', configMap('x', {}, { labels: { a: 'b c' } }), 'metadata.labels', 'FieldValueInvalid'],
    [
      'a broken annotation key',
      configMap('x', {}, { annotations: { 'a b': '' } }),
      'metadata.annotations',
      'FieldValueInvalid',
    ],
    [
      'too large annotations',
      configMap('x', {}, { annotations: { a: 'x'.repeat(262144) } }),
      'metadata.annotations',
      'FieldValueTooLong',
    ],
    [
      'an owner without uid',
      configMap('x', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: '' }] }),
      'metadata.ownerReferences.uid',
      'FieldValueInvalid',
    ],
  ])('refuses %s with a cause that names the field', async (_what, body, field, reason) => {
    const { status, json } = await server.post(CONFIGMAPS, body)
    expect(status).toBe(422)
    expect(json.reason).toBe('Invalid')
    expect(json.details.causes).toContainEqual(expect.objectContaining({ field, reason }))
  })

  it.each([
    ['a missing namespace', '/api/v1/namespaces/nope/configmaps', configMap('x'), 404, 'namespaces "nope" not found'],
    [
      'another namespace than the path',
      CONFIGMAPS,
      configMap('x', {}, { namespace: 'other' }),
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'another kind',
      CONFIGMAPS,
      { ...configMap('x'), kind: 'Secret' },
      400,
      'Secret in version "v1" cannot be handled as a ConfigMap',
    ],
    [
      'another version',
      CONFIGMAPS,
      { ...configMap('x'), apiVersion: 'v2' },
      400,
      'no kind "ConfigMap" is registered for version "v2"',
    ],
    [
      'a field of the wrong type',
      DEPLOYMENTS,
      deployment('x', { replicas: 'two' }),
      400,
      'Deployment in version "v1" cannot be handled as a Deployment',
    ],
    ['metadata of the wrong type', CONFIGMAPS, configMap('x', {}, { labels: { a: 1 } }), 400, 'metadata.labels'],
    ['text that is no JSON', CONFIGMAPS, '{"a":', 400, 'unexpected end of JSON input'],
    ['no object', CONFIGMAPS, '[]', 400, "couldn't get version/kind"],
  ])('refuses %s', async (...row) => {
    const [, path, body, status, message] = row
    const reply = await server.post(path, body)
    expect(reply.status).toBe(status)
    expect(reply.json.message).toContain(message)
  })

  it('writes nothing with dryRun=All', async () => {
    const { status, json } = await server.post(`${CONFIGMAPS}?dryRun=All`, configMap('dry'))
    expect(status).toBe(201)
    expect(json.metadata.resourceVersion).toBeUndefined()
    expect((await server.get(`${CONFIGMAPS}/dry`)).status).toBe(404)
  })

  it('takes YAML', async () => {
    const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: "1"\n'
    const { status } = await server.post(CONFIGMAPS, body, { headers: { 'content-type': 'application/yaml' } })
    expect(status).toBe(201)
    const yaml = await server.get(`${CONFIGMAPS}/from-yaml`, { headers: { accept: 'application/yaml' } })
    expect(yaml.headers['content-type']).toBe('application/yaml')
    expect(yaml.text).toContain('name: from-yaml')
  })

  it('refuses a body over 3 MiB with 413', async () => {
    const body = configMap('huge', { a: 'x'.repeat(3 * 1024 * 1024) })
    const { status, json } = await server.post(CONFIGMAPS, body)
    expect([status, json.reason]).toEqual([413, 'RequestEntityTooLarge'])
  })

  it('refuses a body of an unknown type with 415, and garbage protobuf with 400', async () => {
    const send = (type: string) => server.post(CONFIGMAPS, 'x', { headers: { 'content-type': type } })
    expect((await send('text/csv')).status).toBe(415)
    expect((await send('application/vnd.kubernetes.protobuf')).status).toBe(400)
  })

  it('refuses a body that nests too deep instead of failing', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const { status } = await server.post(CONFIGMAPS, `{"metadata":{"name":"deep"},"data":${deep}}`)
    expect(status).toBe(400)
  })
})

describe('fieldValidation', () => {
  const body = '{"metadata":{"name":"fv","foo":1},"data":{"a":"1","a":"2"},"dta":{}}'

  it('Strict refuses unknown and duplicate fields', async () => {
    const { status, json } = await server.post(`${CONFIGMAPS}?fieldValidation=Strict`, body)
    expect(status).toBe(400)
    for (const found of ['unknown field "dta"', 'unknown field "metadata.foo"', 'duplicate field "data.a"']) {
      expect(json.message).toContain(found)
    }
    expect(json.message).toContain('strict decoding error: ')
  })

  it('Warn, the default, writes and warns', async () => {
    const { status, headers, json } = await server.post(`${CONFIGMAPS}?dryRun=All`, body)
    expect(status).toBe(201)
    expect(headers['warning']).toContain('299 - "unknown field \\"dta\\""')
    expect(json.data).toEqual({ a: '2' })
    expect(json.dta).toBeUndefined()
  })

  it('Ignore says nothing', async () => {
    const { headers } = await server.post(`${CONFIGMAPS}?dryRun=All&fieldValidation=Ignore`, body)
    expect(headers['warning']).toBeUndefined()
  })
})

describe('update', () => {
  it('refuses a stale resourceVersion with 409 Conflict', async () => {
    const first = (await server.post(CONFIGMAPS, configMap('stale'))).json
    await server.put(`${CONFIGMAPS}/stale`, { ...first, data: { a: '1' } })
    const { status, json } = await server.put(`${CONFIGMAPS}/stale`, { ...first, data: { a: '2' } })
    expect([status, json.reason]).toEqual([409, 'Conflict'])
    expect(json.message).toBe(
      'Operation cannot be fulfilled on configmaps "stale": the object has been modified; please apply your changes to the latest version and try again',
    )
  })

  it('keeps the resourceVersion, and tells no watcher, when nothing changes', async () => {
    const first = (await server.post(CONFIGMAPS, configMap('same', { a: '1', b: '2' }))).json
    const again = await server.put(`${CONFIGMAPS}/same`, { ...first, data: { b: '2', a: '1' } })
    expect(again.json.metadata.resourceVersion).toBe(first.metadata.resourceVersion)
    expect((await server.patch(`${CONFIGMAPS}/same`, { data: { a: '1' } })).json).toEqual(first)
  })

  it('keeps what the server owns', async () => {
    const first = (await server.post(CONFIGMAPS, configMap('owned'))).json
    const { json } = await server.put(`${CONFIGMAPS}/owned`, {
      ...configMap('owned', { a: '1' }),
      metadata: { name: 'owned', creationTimestamp: '2001-01-01T00:00:00Z', generation: 7, deletionTimestamp: null },
    })
    expect(json.metadata).toMatchObject({
      uid: first.metadata.uid,
      creationTimestamp: first.metadata.creationTimestamp,
    })
    expect(json.metadata.generation).toBeUndefined()
  })

  it('refuses another name or uid', async () => {
    await server.post(CONFIGMAPS, configMap('named'))
    expect((await server.put(`${CONFIGMAPS}/named`, configMap('other'))).status).toBe(400)
    expect((await server.put(`${CONFIGMAPS}/named`, configMap('named', {}, { uid: 'x' }))).status).toBe(409)
    expect((await server.patch(`${CONFIGMAPS}/named`, { metadata: { name: 'other' } })).status).toBe(400)
  })

  it('answers 404 for an object that is not there, and creates a Lease', async () => {
    expect((await server.put(`${CONFIGMAPS}/nope`, configMap('nope'))).json.message).toBe('configmaps "nope" not found')
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec: {} }
    expect((await server.put('/apis/coordination.k8s.io/v1/namespaces/default/leases/l', lease)).status).toBe(201)
  })
})

describe('generation and status', () => {
  it('counts changes of the spec, not of metadata or status', async () => {
    const first = (await server.post(DEPLOYMENTS, { ...deployment('gen'), status: { replicas: 9 } })).json
    expect([first.metadata.generation, first.status.replicas]).toEqual([1, undefined])
    const labelled = (await server.patch(`${DEPLOYMENTS}/gen`, { metadata: { labels: { a: 'b' } } })).json
    expect(labelled.metadata.generation).toBe(1)
    const scaled = (await server.patch(`${DEPLOYMENTS}/gen`, { spec: { replicas: 3 } })).json
    expect(scaled.metadata.generation).toBe(2)
    const status = (await server.patch(`${DEPLOYMENTS}/gen/status`, { status: { replicas: 3 }, spec: { replicas: 9 } }))
      .json
    expect([status.metadata.generation, status.status.replicas, status.spec.replicas]).toEqual([2, 3, 3])
    const put = (await server.put(`${DEPLOYMENTS}/gen`, { ...status, status: { replicas: 77 } })).json
    expect(put.status.replicas).toBe(3)
  })

  it('scales through the scale subresource', async () => {
    await server.post(DEPLOYMENTS, deployment('scaled'))
    const scale = (await server.get(`${DEPLOYMENTS}/scaled/scale`)).json
    expect(scale).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 1 },
      status: { selector: 'app=scaled' },
    })
    expect(
      (await server.put(`${DEPLOYMENTS}/scaled/scale`, { ...scale, spec: { replicas: 4 } })).json.spec.replicas,
    ).toBe(4)
    expect((await server.patch(`${DEPLOYMENTS}/scaled/scale`, { spec: { replicas: 5 } })).json.spec.replicas).toBe(5)
    expect((await server.put(`${DEPLOYMENTS}/scaled/scale`, scale)).status).toBe(409)
    expect((await server.get(`${DEPLOYMENTS}/scaled`)).json).toMatchObject({
      spec: { replicas: 5 },
      metadata: { generation: 3 },
    })
  })
})

describe('patch', () => {
  it('merges, strategically merges and edits', async () => {
    await server.post(DEPLOYMENTS, deployment('patched'))
    const path = `${DEPLOYMENTS}/patched`
    const container = { spec: { template: { spec: { containers: [{ name: 'd', image: 'j' }] } } } }
    const strategic = await server.patch(path, container, 'strategic-merge-patch+json')
    expect(strategic.json.spec.template.spec.containers.map((c: { name: string }) => c.name).sort()).toEqual(['c', 'd'])
    const merged = await server.patch(path, container)
    expect(merged.json.spec.template.spec.containers.map((c: { name: string }) => c.name)).toEqual(['d'])
    const edited = await server.patch(path, [{ op: 'replace', path: '/spec/replicas', value: 8 }], 'json-patch+json')
    expect(edited.json.spec.replicas).toBe(8)
  })

  it.each([
    ['a failed test', [{ op: 'test', path: '/metadata/name', value: 'x' }], 'json-patch+json', 422],
    ['a missing path', [{ op: 'remove', path: '/nope' }], 'json-patch+json', 422],
    ['a patch that is no list', {}, 'json-patch+json', 400],
    ['a merge patch that is no object', [], 'merge-patch+json', 400],
    ['a stale resourceVersion', { metadata: { resourceVersion: '1' }, data: { z: '1' } }, 'merge-patch+json', 409],
    ['an unknown type', {}, 'x-patch', 415],
  ])('refuses %s', async (_what, body, type, status) => {
    await server.post(CONFIGMAPS, configMap('refused'))
    expect((await server.patch(`${CONFIGMAPS}/refused`, body, type)).status).toBe(status)
  })

  it('applies concurrent patches one after the other', async () => {
    await server.post(CONFIGMAPS, configMap('busy'))
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => server.patch(`${CONFIGMAPS}/busy`, { data: { [`k${n}`]: 'v' } })),
    )
    expect(replies.every(({ status }) => status === 200)).toBe(true)
    expect(Object.keys((await server.get(`${CONFIGMAPS}/busy`)).json.data)).toHaveLength(20)
  })
})

describe('paths and forms', () => {
  it.each([
    ['/api/v1/nopes', 404],
    ['/api/v1/namespaces/default/nodes', 404],
    ['/api/v1/configmaps/x', 404],
    [`${CONFIGMAPS}/x/nosub`, 404],
  ])('GET %s answers %i with a Status', async (path, status) => {
    const reply = await server.get(path)
    expect([reply.status, reply.json.kind]).toEqual([status, 'Status'])
  })

  it.each(['/apis/none.example/v1/things', '/nowhere'])('GET %s answers 404 with a page', async (path) => {
    const reply = await server.get(path)
    expect([reply.status, reply.text]).toEqual([404, '404 page not found\n'])
  })

  it('answers 405 for verbs that a resource has not', async () => {
    expect((await server.put(CONFIGMAPS, {})).status).toBe(405)
    expect((await server.post(`${CONFIGMAPS}/x`, {})).status).toBe(405)
    expect((await server.delete('/api/v1/configmaps')).status).toBe(405)
    expect((await server.post('/version', {})).status).toBe(405)
  })

  it('answers 406 when no form fits', async () => {
    expect((await server.get(CONFIGMAPS, { headers: { accept: 'text/html' } })).status).toBe(406)
  })

  it('answers tables and metadata alone', async () => {
    await server.post(CONFIGMAPS, configMap('shown', { a: '1' }))
    const accept = (as: string) => ({
      headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io,application/json` },
    })
    const table = await server.get(CONFIGMAPS, accept('Table'))
    expect(table.json).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' })
    expect(table.json.metadata.resourceVersion).toMatch(/^\d+$/)
    const list = await server.get(CONFIGMAPS, accept('PartialObjectMetadataList'))
    expect(list.json).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' })
    expect(list.json.items.every((item: object) => !('data' in item))).toBe(true)
    expect((await server.get(`${CONFIGMAPS}/shown`, accept('PartialObjectMetadata'))).json.kind).toBe(
      'PartialObjectMetadata',
    )
  })

  it('compresses large answers only for who accepts it', async () => {
    await server.post(CONFIGMAPS, configMap('large', { a: 'x'.repeat(200_000) }))
    const packed = await server.get(`${CONFIGMAPS}/large`, { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect((await server.get(`${CONFIGMAPS}/large`)).headers['content-encoding']).toBeUndefined()
  })

  it('reports nothing unforeseen', () => {
    expect(server.errors).toEqual([])
  })
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONFIGMAPS, configMap, startTestServer, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
let count = 0

interface VersionOptions {
  readonly storage?: boolean
  readonly properties?: object
}

const version = (name: string, { storage = true, properties = {} }: VersionOptions = {}) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer', minimum: 1 },
            colour: { type: 'string', default: 'red' },
            ...properties,
          },
        },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
})

/** A kind of its own for each test. */
function newKind(versions: object[] = [version('v1')]) {
  count += 1
  const group = `g${count}.example.com`
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget', shortNames: ['wi'] }, versions },
  }
  const path = (served = 'v1') => `/apis/${group}/${served}/namespaces/default/widgets`
  const widget = (name: string, spec: object = { size: 1 }, served = 'v1') => ({
    apiVersion: `${group}/${served}`,
    kind: 'Widget',
    metadata: { name },
    spec,
  })
  return { group, crd, path, widget, crdPath: `${CRDS}/widgets.${group}` }
}

describe('a CustomResourceDefinition', () => {
  it('is served when its creation is answered, and says so', async () => {
    const { crd, path, widget, crdPath, group } = newKind()
    expect((await server.post(CRDS, crd)).status).toBe(201)
    expect((await server.post(path(), widget('a'))).json).toMatchObject({
      metadata: { generation: 1 },
      spec: { size: 1, colour: 'red' },
    })
    const { json } = await server.get(crdPath)
    expect(json.spec.names).toMatchObject({ singular: 'widget', listKind: 'WidgetList' })
    expect(json.status.storedVersions).toEqual(['v1'])
    expect(json.status.acceptedNames.kind).toBe('Widget')
    expect(
      json.status.conditions.map(({ type, status }: { type: string; status: string }) => `${type}=${status}`),
    ).toEqual(['NamesAccepted=True', 'Established=True'])
    const groups = (await server.get('/apis')).json.groups.map(({ name }: { name: string }) => name)
    expect(groups).toContain(group)
  })

  it('has its instances validated, defaulted and pruned', async () => {
    const { crd, path, widget } = newKind()
    await server.post(CRDS, crd)
    const refused = await server.post(path(), widget('a', { size: 0 }))
    expect(refused.json.details.causes).toMatchObject([{ field: 'spec.size', reason: 'FieldValueInvalid' }])
    const pruned = await server.post(path(), widget('b', { size: 1, unknown: 2 }))
    expect(pruned.json.spec).toEqual({ size: 1, colour: 'red' })
    expect((await server.post(`${path()}?fieldValidation=Strict`, widget('c', { unknown: 2 }))).status).toBe(400)
    expect((await server.put(`${path()}/b`, widget('b'))).status).toBe(422)
    expect((await server.patch(`${path()}/b`, {}, 'strategic-merge-patch+json')).status).toBe(415)
  })

  it('counts generations by the spec, and lets only /status write the status', async () => {
    const { crd, path, widget } = newKind()
    await server.post(CRDS, crd)
    await server.post(path(), { ...widget('a'), status: { x: 1 } })
    const status = await server.patch(`${path()}/a/status`, {
      status: { x: 2 },
      spec: { size: 9 },
      metadata: { labels: { a: 'b' } },
    })
    expect(status.json).toMatchObject({ spec: { size: 1 }, status: { x: 2 }, metadata: { generation: 1 } })
    expect(status.json.metadata.labels).toBeUndefined()
    const spec = await server.patch(`${path()}/a`, { spec: { size: 2 }, status: { x: 3 } })
    expect(spec.json).toMatchObject({ spec: { size: 2 }, status: { x: 2 }, metadata: { generation: 2 } })
  })

  it('shows every object in each served version', async () => {
    const { crd, path, widget, group } = newKind([version('v1', { storage: false }), version('v2')])
    await server.post(CRDS, crd)
    await server.post(path('v1'), widget('a'))
    expect((await server.get(`${path('v2')}/a`)).json.apiVersion).toBe(`${group}/v2`)
    expect((await server.get(`${path('v1')}/a`)).json.apiVersion).toBe(`${group}/v1`)
    const watch = await server.watch(`${path('v1')}?watch=true`)
    await server.post(path('v2'), widget('b', { size: 2 }, 'v2'))
    const events = await watch.until((all) => all.length === 2)
    expect(events.map(({ object }) => object.apiVersion)).toEqual([`${group}/v1`, `${group}/v1`])
    watch.stop()
    expect((await server.patch(`${path('v1')}/b`, { spec: { size: 3 } })).json.apiVersion).toBe(`${group}/v1`)
  })

  it('applies a new schema to objects stored before it, and ends watches of the old one', async () => {
    const { crd, path, widget, crdPath } = newKind()
    await server.post(CRDS, crd)
    await server.post(path(), widget('a'))
    const watch = await server.watch(`${path()}?watch=true`)
    const { json } = await server.get(crdPath)
    json.spec.versions = [version('v1', { properties: { added: { type: 'string', default: 'x' } } })]
    expect((await server.put(crdPath, json)).json.metadata.generation).toBe(2)
    await watch.ended()
    expect((await server.get(`${path()}/a`)).json.spec).toEqual({ size: 1, colour: 'red', added: 'x' })
    expect((await server.get(path())).json.items[0].spec.added).toBe('x')
  })

  it('takes its instances along, waiting for their finalizers', async () => {
    const { crd, path, widget, crdPath } = newKind()
    await server.post(CRDS, crd)
    await server.post(path(), widget('free'))
    await server.post(path(), { ...widget('held'), metadata: { name: 'held', finalizers: ['example.com/x'] } })
    expect((await server.delete(crdPath)).json.metadata.finalizers).toEqual([
      'customresourcecleanup.apiextensions.k8s.io',
    ])
    expect((await server.get(`${path()}/free`)).status).toBe(404)
    expect((await server.post(path(), widget('late'))).status).toBe(405)
    expect((await server.patch(`${path()}/held`, { metadata: { finalizers: null } })).status).toBe(200)
    expect((await server.get(crdPath)).status).toBe(404)
    expect((await server.get(path())).status).toBe(404)
    expect((await server.post(CRDS, crd)).status).toBe(201)
    expect((await server.get(path())).json.items).toEqual([])
  })

  it('takes the dependents of its instances along too', async () => {
    const { crd, path, widget, crdPath, group } = newKind()
    await server.post(CRDS, crd)
    const { json } = await server.post(path(), widget('owner'))
    const owner = { apiVersion: `${group}/v1`, kind: 'Widget', name: 'owner', uid: json.metadata.uid }
    const child = `${CONFIGMAPS}/child-of-${group}`
    await server.post(CONFIGMAPS, configMap(`child-of-${group}`, {}, { ownerReferences: [owner] }))
    await server.delete(crdPath)
    await server.eventually(
      async () => (await server.get(child)).status,
      (status) => status === 404,
    )
  })

  it('whose names are taken is not served until they are free', async () => {
    const first = newKind()
    await server.post(CRDS, first.crd)
    const names = { plural: 'gadgets', singular: 'gadget', kind: 'Widget', listKind: 'GadgetList' }
    const second = { ...first.crd, metadata: { name: `gadgets.${first.group}` }, spec: { ...first.crd.spec, names } }
    expect((await server.post(CRDS, second)).status).toBe(201)
    const { json } = await server.get(`${CRDS}/gadgets.${first.group}`)
    expect(json.status.conditions).toMatchObject([
      { type: 'NamesAccepted', status: 'False', reason: 'KindConflict' },
      { type: 'Established', status: 'False', reason: 'NotAccepted' },
    ])
    expect((await server.get(`/apis/${first.group}/v1/gadgets`)).status).toBe(404)
    await server.delete(first.crdPath)
    expect((await server.get(`/apis/${first.group}/v1/gadgets`)).status).toBe(200)
  })

  it('that is not valid is refused with causes', async () => {
    const { crd } = newKind()
    const { status, json } = await server.post(CRDS, { ...crd, metadata: { name: 'wrong' } })
    expect(status).toBe(422)
    expect(json.details.causes).toContainEqual(expect.objectContaining({ field: 'metadata.name' }))
  })

  it('is served again after a restart', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crd-'))
    const storage = { type: 'sqlite' as const, path: join(folder, 'state.db') }
    const first = await startTestServer({ storage })
    const { crd, path, widget } = newKind()
    await first.post(CRDS, crd)
    const { json } = await first.post(path(), widget('a'))
    await first.close()
    const second = await startTestServer({ storage })
    expect((await second.get(`${path()}/a`)).json).toEqual(json)
    expect((await second.patch(`${path()}/a`, { spec: { size: 2 } })).status).toBe(200)
    await second.close()
    rmSync(folder, { recursive: true })
  })

  it('is read with generated names and metadata forms like any kind', async () => {
    const { crd, path, widget } = newKind()
    await server.post(CRDS, crd)
    await server.post(path(), widget('a'))
    const accept = { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }
    expect((await server.get(path(), accept)).json.rows).toHaveLength(1)
    expect(server.errors).toEqual([])
  })
})

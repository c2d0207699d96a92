import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONFIGMAPS, configMap, startTestServer, type TestServer } from './harness.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const NAMESPACES = '/api/v1/namespaces'
const PODS = '/api/v1/namespaces/default/pods'
const pod = (name: string, extra: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...extra },
})
const gone = (path: string) =>
  server.eventually(
    async () => (await server.get(path)).status,
    (status) => status === 404,
  )

describe('delete', () => {
  it('answers a Success Status that names what went', async () => {
    const { json } = await server.post(CONFIGMAPS, configMap('del'))
    const reply = await server.delete(`${CONFIGMAPS}/del`)
    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'del', kind: 'configmaps', uid: json.metadata.uid },
    })
    expect((await server.delete(`${CONFIGMAPS}/del`)).status).toBe(404)
  })

  it('keeps to preconditions', async () => {
    await server.post(CONFIGMAPS, configMap('pre'))
    const fence = (preconditions: object) =>
      server.delete(`${CONFIGMAPS}/pre`, { kind: 'DeleteOptions', preconditions })
    expect((await fence({ uid: 'other' })).json).toMatchObject({ code: 409, reason: 'Conflict' })
    expect((await fence({ resourceVersion: '1' })).status).toBe(409)
    expect((await server.call('DELETE', `${CONFIGMAPS}/pre?dryRun=All`)).status).toBe(200)
    expect((await server.get(`${CONFIGMAPS}/pre`)).status).toBe(200)
    expect((await server.delete(`${CONFIGMAPS}/pre`, { propagationPolicy: 'Sideways' })).status).toBe(422)
  })

  it('waits for finalizers, takes no new ones meanwhile, and ends with the last', async () => {
    const path = `${CONFIGMAPS}/held`
    await server.post(CONFIGMAPS, configMap('held', {}, { finalizers: ['example.com/a', 'example.com/b'] }))
    const watch = await server.watch(`${CONFIGMAPS}?watch=true&fieldSelector=metadata.name%3Dheld`)
    const marked = await server.delete(path)
    expect(marked.json.metadata.deletionTimestamp).toBeDefined()
    const added = await server.patch(path, {
      metadata: { finalizers: ['example.com/a', 'example.com/b', 'example.com/c'] },
    })
    expect(added.json.details.causes).toMatchObject(
      Array(2).fill({ field: 'metadata.finalizers', reason: 'FieldValueForbidden' }),
    )
    expect((await server.patch(path, { metadata: { finalizers: ['example.com/a'] } })).status).toBe(200)
    expect((await server.patch(path, { metadata: { finalizers: null } })).status).toBe(200)
    expect((await server.get(path)).status).toBe(404)
    const events = await watch.until((all) => all.some(({ type }) => type === 'DELETED'))
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED'])
    watch.stop()
  })

  it('lets a pod on a node end gracefully, and other pods go at once', async () => {
    await server.post(PODS, pod('free'))
    await server.delete(`${PODS}/free`)
    expect((await server.get(`${PODS}/free`)).status).toBe(404)
    await server.post(PODS, pod('placed', { nodeName: 'n1', terminationGracePeriodSeconds: 20 }))
    const marked = (await server.delete(`${PODS}/placed`)).json
    expect(marked.metadata.deletionGracePeriodSeconds).toBe(20)
    expect((await server.get(`${PODS}/placed`)).status).toBe(200)
    await server.delete(`${PODS}/placed`, { gracePeriodSeconds: 0 })
    expect((await server.get(`${PODS}/placed`)).status).toBe(404)
  })
})

describe('namespaces', () => {
  it('come with a ServiceAccount and the root CA, which come back when deleted', async () => {
    await server.post(NAMESPACES, { metadata: { name: 'furnished' } })
    const path = `${NAMESPACES}/furnished/configmaps/kube-root-ca.crt`
    const { json } = await server.get(path)
    expect(json.data['ca.crt']).toBe(server.pki.caCert)
    expect((await server.get(`${NAMESPACES}/furnished/serviceaccounts/default`)).status).toBe(200)
    await server.delete(path)
    expect((await server.get(path)).json.metadata.uid).not.toBe(json.metadata.uid)
  })

  it('are Terminating while something in them is held, take nothing new, and go with the last object', async () => {
    const path = `${NAMESPACES}/leaving`
    await server.post(NAMESPACES, { metadata: { name: 'leaving' } })
    await server.post(`${path}/configmaps`, configMap('held', {}, { finalizers: ['example.com/x'] }))
    await server.post(`${path}/pods`, pod('p'))
    const marked = await server.delete(path)
    expect(marked.json.status.phase).toBe('Terminating')
    const refused = await server.post(`${path}/configmaps`, configMap('late'))
    expect([refused.status, refused.json.details.causes[0].reason]).toEqual([403, 'NamespaceTerminating'])
    await gone(`${path}/pods/p`)
    const { json } = await server.eventually(
      () => server.get(path),
      (reply) => reply.json.status.conditions !== undefined,
    )
    const conditions = json.status.conditions.filter(({ status }: { status: string }) => status === 'True')
    expect(conditions.map(({ type }: { type: string }) => type)).toEqual([
      'NamespaceContentRemaining',
      'NamespaceFinalizersRemaining',
    ])
    await server.patch(`${path}/configmaps/held`, { metadata: { finalizers: null } })
    await gone(path)
    expect((await server.post(NAMESPACES, { metadata: { name: 'leaving' } })).status).toBe(201)
    expect((await server.get(`${path}/configmaps/held`)).status).toBe(404)
  })

  it('can be held by finalizers of others', async () => {
    await server.post(NAMESPACES, { metadata: { name: 'kept', finalizers: ['example.com/x'] } })
    await server.delete(`${NAMESPACES}/kept`)
    await server.eventually(
      () => server.get(`${NAMESPACES}/kept`),
      ({ json }) => json.spec.finalizers === undefined,
    )
    await server.patch(`${NAMESPACES}/kept`, { metadata: { finalizers: null } })
    expect((await server.get(`${NAMESPACES}/kept`)).status).toBe(404)
  })
})

describe('owners', () => {
  const owned = async (name: string, owner: string, extra: object = {}) => {
    const { json } = await server.get(`${CONFIGMAPS}/${owner}`)
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid: json.metadata.uid, ...extra }
    return server.post(CONFIGMAPS, configMap(name, {}, { ownerReferences: [reference] }))
  }

  it('take their dependents with them, and theirs', async () => {
    await server.post(CONFIGMAPS, configMap('bg'))
    await owned('bg-child', 'bg')
    await owned('bg-grandchild', 'bg-child')
    await server.delete(`${CONFIGMAPS}/bg`, { propagationPolicy: 'Background' })
    await gone(`${CONFIGMAPS}/bg-child`)
    await gone(`${CONFIGMAPS}/bg-grandchild`)
  })

  it('outlive blocking dependents when deleted in the foreground', async () => {
    await server.post(CONFIGMAPS, configMap('fg'))
    await owned('fg-child', 'fg', { blockOwnerDeletion: true })
    await server.patch(`${CONFIGMAPS}/fg-child`, { metadata: { finalizers: ['example.com/x'] } })
    const marked = await server.delete(`${CONFIGMAPS}/fg`, { propagationPolicy: 'Foreground' })
    expect(marked.json.metadata.finalizers).toEqual(['foregroundDeletion'])
    await server.eventually(
      () => server.get(`${CONFIGMAPS}/fg-child`),
      ({ json }) => json.metadata.deletionTimestamp !== undefined,
    )
    expect((await server.get(`${CONFIGMAPS}/fg`)).status).toBe(200)
    await server.patch(`${CONFIGMAPS}/fg-child`, { metadata: { finalizers: null } })
    await gone(`${CONFIGMAPS}/fg`)
  })

  it('leave orphans alive and without the reference', async () => {
    await server.post(CONFIGMAPS, configMap('or'))
    await owned('or-child', 'or')
    await server.delete(`${CONFIGMAPS}/or`, { propagationPolicy: 'Orphan' })
    await gone(`${CONFIGMAPS}/or`)
    expect((await server.get(`${CONFIGMAPS}/or-child`)).json.metadata.ownerReferences).toBeUndefined()
  })

  it('are the same only by UID: a dependent of another UID goes', async () => {
    await server.post(CONFIGMAPS, configMap('uid'))
    await owned('uid-child', 'uid', { uid: '00000000-0000-0000-0000-000000000000' })
    await gone(`${CONFIGMAPS}/uid-child`)
    expect((await server.get(`${CONFIGMAPS}/uid`)).status).toBe(200)
  })

  it('that live keep a dependent whose other owner is gone', async () => {
    await server.post(CONFIGMAPS, configMap('two-a'))
    const { json: b } = await server.post(CONFIGMAPS, configMap('two-b'))
    await owned('two-child', 'two-a')
    const { json } = await server.get(`${CONFIGMAPS}/two-child`)
    const second = { apiVersion: 'v1', kind: 'ConfigMap', name: 'two-b', uid: b.metadata.uid }
    await server.patch(`${CONFIGMAPS}/two-child`, {
      metadata: { ownerReferences: [...json.metadata.ownerReferences, second] },
    })
    await server.delete(`${CONFIGMAPS}/two-a`)
    await server.eventually(
      () => server.get(`${CONFIGMAPS}/two-child`),
      (reply) => reply.json.metadata.ownerReferences.length === 1,
    )
  })

  it('that are deleted in the foreground leave a dependent to its other, living owner', async () => {
    await server.post(CONFIGMAPS, configMap('leaving'))
    const { json: living } = await server.post(CONFIGMAPS, configMap('living'))
    await owned('shared', 'leaving', { blockOwnerDeletion: true })
    const { json } = await server.get(`${CONFIGMAPS}/shared`)
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'living', uid: living.metadata.uid }
    const ownerReferences = [...json.metadata.ownerReferences, other]
    await server.patch(`${CONFIGMAPS}/shared`, { metadata: { ownerReferences } })
    await server.delete(`${CONFIGMAPS}/leaving`, { propagationPolicy: 'Foreground' })
    await gone(`${CONFIGMAPS}/leaving`)
    expect((await server.get(`${CONFIGMAPS}/shared`)).json.metadata.ownerReferences).toEqual([other])
  })

  it('that own each other in a circle do not wait for each other', async () => {
    await server.post(CONFIGMAPS, configMap('c1'))
    await owned('c2', 'c1', { blockOwnerDeletion: true })
    await owned('c3', 'c2', { blockOwnerDeletion: true })
    const { json } = await server.get(`${CONFIGMAPS}/c3`)
    const third = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c3', uid: json.metadata.uid, blockOwnerDeletion: true }
    await server.patch(`${CONFIGMAPS}/c1`, { metadata: { ownerReferences: [third] } })
    await server.delete(`${CONFIGMAPS}/c1`, { propagationPolicy: 'Foreground' })
    for (const name of ['c1', 'c2', 'c3']) await gone(`${CONFIGMAPS}/${name}`)
  })

  it('of an unknown kind are left to who knows them', async () => {
    const reference = { apiVersion: 'example.com/v1', kind: 'Thing', name: 't', uid: 'u' }
    await server.post(CONFIGMAPS, configMap('foreign', {}, { ownerReferences: [reference] }))
    await server.post(CONFIGMAPS, configMap('barrier-owner'))
    await owned('barrier', 'barrier-owner')
    await server.delete(`${CONFIGMAPS}/barrier-owner`)
    await gone(`${CONFIGMAPS}/barrier`)
    expect((await server.get(`${CONFIGMAPS}/foreign`)).status).toBe(200)
  })
})

describe('evictions', () => {
  it('spend the allowance of a budget, then are refused with 429', async () => {
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'
    await server.post(budgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'evicted' } } },
    })
    await server.patch(`${budgets}/b/status`, {
      status: { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2, observedGeneration: 1 },
    })
    for (const name of ['e1', 'e2']) {
      await server.post(PODS, pod(name, {}, { labels: { app: 'evicted' } }))
      const conditions = [{ type: 'Ready', status: 'True' }]
      await server.patch(`${PODS}/${name}/status`, { status: { phase: 'Running', conditions } })
    }
    const evict = (name: string) =>
      server.post(`${PODS}/${name}/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } })
    expect((await evict('e1')).status).toBe(201)
    expect((await server.get(`${PODS}/e1`)).status).toBe(404)
    const refused = await evict('e2')
    expect([refused.status, refused.json.details.causes[0].reason]).toEqual([429, 'DisruptionBudget'])
  })

  it('need a pod, and a binding a free one', async () => {
    expect((await server.post(`${PODS}/nope/eviction`, { metadata: { name: 'nope' } })).status).toBe(404)
    await server.post(PODS, pod('bound'))
    const bind = (name: string) =>
      server.post(`${PODS}/bound/binding`, { metadata: { name: 'bound' }, target: { kind: 'Node', name } })
    expect((await bind('n1')).status).toBe(201)
    expect((await server.get(`${PODS}/bound`)).json.spec.nodeName).toBe('n1')
    expect((await bind('n2')).status).toBe(409)
  })

  it('report nothing unforeseen', () => {
    expect(server.errors).toEqual([])
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONFIG_MAPS, NAMESPACES, NODES } from '../../../src/api/core-resources.ts'
import { fencedPatch, fencedStatusPatch } from '../../../src/kube/fenced-patch.ts'
import { addFinalizer, removeFinalizer } from '../../../src/kube/finalizers.ts'
import type { ClosableKubeClient } from '../../../src/kube/kube-client.ts'
import { HOST_KINDS, type HostUnderTest } from '../../support/host-under-test.ts'

describe.each(HOST_KINDS)('the client against $name', ({ isMissing, start }) => {
  let host: HostUnderTest
  let client: ClosableKubeClient

  beforeAll(async () => {
    if (isMissing) return
    host = await start()
    client = host.client()
    await client.create(NAMESPACES, { metadata: { name: 'work' } })
  })
  afterAll(() => host?.stop())

  const ref = (name: string) => ({ namespace: 'work', name })
  const make = (name: string, data: Record<string, string> = {}) =>
    client.create(CONFIG_MAPS, { metadata: { namespace: 'work', name, labels: { test: name } }, data })

  it.skipIf(isMissing)('creates, reads, replaces, patches and deletes', async () => {
    const created = await make('life', { key: 'välue 日本' })
    expect(await client.get(CONFIG_MAPS, ref('life'))).toEqual(created)
    const replaced = await client.replace(CONFIG_MAPS, { ...created, data: { key: 'other' } })
    expect(replaced.metadata.resourceVersion).not.toBe(created.metadata.resourceVersion)
    const merged = await client.patch(CONFIG_MAPS, ref('life'), {
      type: 'merge',
      body: { data: { key: null, n: '1' } },
    })
    expect(merged.data).toEqual({ n: '1' })
    const operations = [{ op: 'add', path: '/data/m', value: '2' }]
    const patched = await client.patch(CONFIG_MAPS, ref('life'), { type: 'json', body: operations })
    expect(patched.data).toEqual({ n: '1', m: '2' })
    await client.delete(CONFIG_MAPS, ref('life'))
    await expect(client.get(CONFIG_MAPS, ref('life'))).rejects.toMatchObject({ code: 'NotFound' })
  })

  it.skipIf(isMissing)('tells failures apart by their code', async () => {
    const first = await make('twice')
    await expect(make('twice')).rejects.toMatchObject({ code: 'AlreadyExists', details: { status: 409 } })
    await client.patch(CONFIG_MAPS, ref('twice'), { type: 'merge', body: { data: { a: '1' } } })
    await expect(client.replace(CONFIG_MAPS, first)).rejects.toMatchObject({ code: 'Conflict' })
    await expect(make('Not A Name')).rejects.toMatchObject({
      code: 'Invalid',
      details: { status: 422, causes: expect.arrayContaining([expect.objectContaining({ field: 'metadata.name' })]) },
    })
    await expect(client.delete(CONFIG_MAPS, ref('none'))).rejects.toMatchObject({ code: 'NotFound' })
    const anonymous = { ...CONFIG_MAPS, plural: 'nonsenses' }
    await expect(client.list(anonymous)).rejects.toMatchObject({ code: 'NotFound' })
  })

  it.skipIf(isMissing)('deletes only the object that was meant', async () => {
    const old = await make('fenced')
    const { uid = '', resourceVersion = '' } = old.metadata
    await client.patch(CONFIG_MAPS, ref('fenced'), { type: 'merge', body: { data: { a: '1' } } })
    await expect(client.delete(CONFIG_MAPS, ref('fenced'), { uid, resourceVersion })).rejects.toMatchObject({
      code: 'Conflict',
    })
    await client.delete(CONFIG_MAPS, ref('fenced'), { uid })
    await make('fenced')
    await expect(client.delete(CONFIG_MAPS, ref('fenced'), { uid })).rejects.toMatchObject({ code: 'Conflict' })
  })

  it.skipIf(isMissing)('lists in pages and by selectors', async () => {
    for (let n = 0; n < 5; n++) await make(`page-${n}`)
    const names: string[] = []
    let next: string | undefined
    do {
      const page = await client.list(CONFIG_MAPS, {
        namespace: 'work',
        labelSelector: 'test in (page-0,page-1,page-2,page-3,page-4)',
        limit: 2,
        ...(next === undefined ? {} : { continue: next }),
      })
      expect(page.items.length).toBeLessThanOrEqual(2)
      names.push(...page.items.map(({ metadata }) => metadata.name ?? ''))
      next = page.continue
    } while (next !== undefined)
    expect(names).toEqual([0, 1, 2, 3, 4].map((n) => `page-${n}`))
    const one = await client.list(CONFIG_MAPS, { fieldSelector: 'metadata.name=page-3' })
    expect(one.items.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([['ConfigMap', 'page-3']])
  })

  it.skipIf(isMissing)('answers raw paths', async () => {
    expect(await client.raw('GET', '/version')).toMatchObject({ gitVersion: expect.stringMatching(/^v1\./) })
    expect(await client.raw('GET', '/readyz')).toBe('ok')
  })

  it.skipIf(isMissing)('a dry run changes nothing', async () => {
    await client.create(CONFIG_MAPS, { metadata: ref('dry') }, { dryRun: true })
    await expect(client.get(CONFIG_MAPS, ref('dry'))).rejects.toMatchObject({ code: 'NotFound' })
  })

  it.skipIf(isMissing)('a fenced status patch lands once, and not after another write', async () => {
    const node = await client.create(NODES, { metadata: { name: 'node-1' } })
    const ready = (message: string) => ({
      ...node.status,
      conditions: [{ type: 'Ready', status: 'True', reason: 'Test', message }],
    })
    const patch = fencedStatusPatch(node, ready('first'))!
    const written = await client.patch(NODES, { name: 'node-1' }, patch, { subresource: 'status' })
    expect(written.status?.conditions?.[0]?.message).toBe('first')
    expect(fencedStatusPatch(written, written.status ?? {})).toBeUndefined()
    const late = client.patch(NODES, { name: 'node-1' }, fencedStatusPatch(node, ready('late'))!, {
      subresource: 'status',
    })
    await expect(late).rejects.toMatchObject({ code: 'Conflict' })
  })

  it.skipIf(isMissing)('a fenced patch never lands on a new object of the same name', async () => {
    const old = await make('reborn')
    await client.delete(CONFIG_MAPS, ref('reborn'))
    await make('reborn')
    const patch = fencedPatch(old, { metadata: { labels: { test: 'late' } } })!
    await expect(client.patch(CONFIG_MAPS, ref('reborn'), patch)).rejects.toMatchObject({ code: 'Conflict' })
  })

  it.skipIf(isMissing)('a finalizer holds a deleted object until it is removed, beside those of others', async () => {
    const plain = await make('held')
    const theirs = await addFinalizer(client, CONFIG_MAPS, plain, 'example.org/theirs')
    await expect(addFinalizer(client, CONFIG_MAPS, plain, 'example.org/ours')).rejects.toMatchObject({
      code: 'Conflict',
    })
    const both = await addFinalizer(client, CONFIG_MAPS, theirs, 'example.org/ours')
    await client.delete(CONFIG_MAPS, ref('held'))
    const deleting = await client.get(CONFIG_MAPS, ref('held'))
    expect(deleting.metadata.deletionTimestamp).toBeDefined()
    expect(deleting.metadata.finalizers).toEqual(both.metadata.finalizers)
    await removeFinalizer(client, CONFIG_MAPS, deleting, 'example.org/ours')
    const last = await client.get(CONFIG_MAPS, ref('held'))
    expect(last.metadata.finalizers).toEqual(['example.org/theirs'])
    await removeFinalizer(client, CONFIG_MAPS, last, 'example.org/theirs')
    await expect(client.get(CONFIG_MAPS, ref('held'))).rejects.toMatchObject({ code: 'NotFound' })
  })
})

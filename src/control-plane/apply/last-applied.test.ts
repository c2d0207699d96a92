import { describe, expect, it } from 'vitest'
import { builtinResources } from '../builtin/index.ts'
import { Registry } from '../registry/registry.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { applyForManager } from './last-applied.ts'
import { updateOwnership } from './update-ownership.ts'

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration'
const registry = new Registry(builtinResources())
const found = registry.find('', 'v1', 'configmaps')
if (found === undefined) throw new Error('ConfigMaps are served')
const definition = found
const now = '2026-01-01T00:00:00Z'

const configMap = (data: Record<string, string>, annotations?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x', ...(annotations === undefined ? {} : { annotations }) },
  data,
})

/** As client-side apply leaves it: written by `kubectl-client-side-apply`, with what it applied in the annotation. */
function appliedByClient(data: Record<string, string>, last: object | string): StoredObject {
  const text = typeof last === 'string' ? last : JSON.stringify(last)
  const object = configMap(data, { [ANNOTATION]: text })
  const metadata = { ...object.metadata, uid: 'u', resourceVersion: '1', creationTimestamp: now }
  const next: StoredObject = { ...object, metadata }
  const updater = { registry, definition, manager: 'kubectl-client-side-apply', subresource: '', now }
  const managedFields = updateOwnership(updater, { next })
  return { ...next, metadata: { ...metadata, ...(managedFields === undefined ? {} : { managedFields }) } }
}

const applyAs = (manager: string, live: StoredObject, data: Record<string, string>) =>
  applyForManager({
    registry,
    definition,
    live,
    applied: configMap(data),
    manager,
    force: false,
    subresource: '',
    now,
  })

describe('who goes from client-side to server-side apply', () => {
  const live = appliedByClient({ a: '1' }, configMap({ a: '1' }))

  it('is not held up by what it applied itself', () => {
    const outcome = applyAs('kubectl', live, { a: '2' })
    expect(outcome).toMatchObject({ kind: 'applied', object: { data: { a: '2' } } })
  })

  it('finds the annotation in step afterwards', () => {
    const outcome = applyAs('kubectl', live, { a: '2' })
    const annotations = outcome.kind === 'applied' ? (outcome.object as StoredObject).metadata.annotations : undefined
    expect(JSON.parse(annotations?.[ANNOTATION] ?? '')).toEqual(configMap({ a: '2' }))
  })

  it.each<[string, StoredObject]>([
    ['under another manager', live],
    ['when somebody has changed the field since', appliedByClient({ a: 'changed' }, configMap({ a: '1' }))],
    ['when the annotation says nothing of the field', appliedByClient({ a: '1' }, configMap({}))],
    ['when the annotation is no JSON', appliedByClient({ a: '1' }, '{"data":')],
    [
      'when the annotation is of another version',
      appliedByClient({ a: '1' }, { ...configMap({ a: '1' }), apiVersion: 'v2' }),
    ],
  ])('meets the conflict all the same %s', (when, object) => {
    const outcome = applyAs(when === 'under another manager' ? 'flux' : 'kubectl', object, { a: '2' })
    expect(outcome).toMatchObject({ kind: 'conflict', conflicts: [{ path: ['f:data', 'f:a'] }] })
  })
})

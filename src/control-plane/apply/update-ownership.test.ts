import { expect, it } from 'vitest'
import { builtinResources } from '../builtin/index.ts'
import { Registry } from '../registry/registry.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { updateOwnership } from './update-ownership.ts'

const registry = new Registry(builtinResources())
const definition = registry.find('', 'v1', 'configmaps')
if (definition === undefined) throw new Error('ConfigMaps are served')
const configMaps = definition

const object = (data: Record<string, string>, managedFields?: unknown[]): StoredObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'x',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(managedFields === undefined ? {} : { managedFields }),
  },
  data,
})
const by = (manager: string, now = '2026-01-01T00:00:00Z') => ({
  registry,
  definition: configMaps,
  manager,
  subresource: '',
  now,
})
const created = updateOwnership(by('a'), { next: object({ x: '1' }) }) ?? []

it('a created object is owned by its creator, its name by nobody', () => {
  expect(created).toEqual([
    {
      manager: 'a',
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'f:x': {} } },
    },
  ])
})

it('a write that changes nothing keeps the very list', () => {
  const live = object({ x: '1' }, created)
  expect(updateOwnership(by('b', 'later'), { live, next: object({ x: '1' }) })).toBe(created)
})

it('what is changed changes hands, and who has nothing left goes', () => {
  const live = object({ x: '1' }, created)
  const owners = updateOwnership(by('b'), { live, next: object({ x: '2', y: '1' }) })
  expect(owners).toMatchObject([
    { manager: 'a', fieldsV1: { 'f:data': {} } },
    { manager: 'b', fieldsV1: { 'f:data': { 'f:x': {}, 'f:y': {} } } },
  ])
  const { data: _all, ...empty } = object({})
  expect(updateOwnership(by('c'), { live, next: empty as StoredObject })).toBeUndefined()
})

it.each<[string, unknown, 'reset' | 'kept' | 'taken']>([
  ['an empty list resets', [], 'reset'],
  ['one empty entry resets', [{}], 'reset'],
  ['null says nothing', null, 'kept'],
  ['an entry of an unknown operation says nothing', [{ manager: 'z', operation: 'Paint' }], 'kept'],
  [
    'an entry with broken fields says nothing',
    [{ manager: 'z', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { x: {} } }],
    'kept',
  ],
  [
    'a valid list is taken over',
    [
      {
        manager: 'z',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:x': {} } },
      },
    ],
    'taken',
  ],
])('managedFields in the body: %s', (_rule, sent, effect) => {
  const owners = updateOwnership(by('a'), { live: object({ x: '1' }, created), next: object({ x: '1' }), sent })
  if (effect === 'reset') expect(owners).toBeUndefined()
  else if (effect === 'kept') expect(owners).toBe(created)
  else expect(owners).toMatchObject([{ manager: 'z', operation: 'Apply' }])
})

it('an object of which nothing is tracked stays so', () => {
  expect(updateOwnership(by('a'), { live: object({ x: '1' }), next: object({ x: '2' }) })).toBeUndefined()
})

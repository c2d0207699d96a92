import { expect, it } from 'vitest'
import { builtinResources } from '../builtin/index.ts'
import type { JsonObject } from '../schema/json.ts'
import { dropUnset } from './drop-unset.ts'
import { Registry } from './registry.ts'

const registry = new Registry(builtinResources())

it.each<[string, [string, string], JsonObject, JsonObject]>([
  ['null is absent', ['', 'configmaps'], { data: null }, {}],
  ['an empty map is absent', ['', 'configmaps'], { data: {} }, {}],
  ['an entry of a map stays', ['', 'configmaps'], { data: { a: '' } }, { data: { a: '' } }],
  ['an empty list is absent', ['', 'services'], { spec: { ports: [] } }, { spec: {} }],
  [
    'an empty structure is there',
    ['', 'pods'],
    { spec: { volumes: [{ emptyDir: {} }] } },
    { spec: { volumes: [{ emptyDir: {} }] } },
  ],
  [
    'in items of lists too',
    ['', 'pods'],
    { spec: { containers: [{ args: [], env: [{ name: 'x' }] }] } },
    { spec: { containers: [{ env: [{ name: 'x' }] }] } },
  ],
  ['a list that is always written stays', ['rbac.authorization.k8s.io', 'roles'], { rules: [] }, { rules: [] }],
])('%s', (_rule, [group, plural], fields, kept) => {
  const definition = registry.find(group, 'v1', plural)
  if (definition === undefined) throw new Error(`${plural} are served`)
  dropUnset(definition.schema(), fields, definition.resolve)
  expect(fields).toEqual(kept)
})

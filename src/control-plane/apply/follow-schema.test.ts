import { describe, expect, it } from 'vitest'
import { builtinResources } from '../builtin/index.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Schema } from '../schema/schema.ts'
import { followSchema } from './follow-schema.ts'
import { Manager, type Managers, managerKey } from './managed-fields.ts'
import { objectType } from './value-type.ts'
import type { Versions } from './versions.ts'

const configMaps = builtinResources().find(({ plural }) => plural === 'configmaps')
if (configMaps === undefined) throw new Error('ConfigMaps are served')
const template = configMaps

function versions(spec: Schema): Versions {
  const definition: ResourceDefinition = {
    ...template,
    origin: 'custom',
    group: 'example.com',
    kind: 'Thing',
    plural: 'things',
    schema: () => ({ type: 'object', properties: { spec } }),
  }
  const version = { type: objectType(definition), ignored: undefined, convert: <T>(object: T) => object }
  return (apiVersion) => (apiVersion === 'example.com/v1' ? version : undefined)
}

function managersOf(fields: object, apiVersion = 'example.com/v1'): Managers {
  const manager = new Manager({ manager: 'a', operation: 'Apply', apiVersion, subresource: '' }, undefined, {
    'f:spec': fields,
  })
  return new Map([[managerKey(manager), manager]])
}

const fieldsOf = (managers: Managers): unknown => [...managers.values()].map((one) => one.toJson()['fieldsV1'])
const text: Schema = { type: 'string' }

describe('what was owned piece by piece', () => {
  it.each<[string, Schema, object]>([
    ['a map', { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' }, { 'f:x': {} }],
    ['a list', { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' }, { 'v:"x"': {} }],
  ])('is owned as a whole once its schema makes it atomic: %s', (_what, part, pieces) => {
    const followed = followSchema(managersOf({ 'f:part': pieces }), versions({ type: 'object', properties: { part } }))
    expect(fieldsOf(followed)).toEqual([{ 'f:spec': { 'f:part': {} } }])
  })

  it('stays so while the schema is what it was: the very managers', () => {
    const managers = managersOf({ 'f:part': { 'f:x': {} } })
    const part: Schema = { type: 'object', additionalProperties: text }
    expect(followSchema(managers, versions({ type: 'object', properties: { part } }))).toBe(managers)
  })

  it('stays so where there is no schema any more', () => {
    const managers = managersOf({ 'f:gone': { 'f:x': {} } })
    expect(followSchema(managers, versions({ type: 'object' }))).toBe(managers)
  })

  it('is forgotten with a version that is no longer served', () => {
    expect(followSchema(managersOf({ 'f:part': {} }, 'example.com/v0'), versions({ type: 'object' })).size).toBe(0)
  })
})

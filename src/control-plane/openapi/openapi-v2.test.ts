import { expect, test } from 'vitest'
import { builtinResources } from '../builtin/index.ts'
import { WIRE_BYTES, WireReader } from '../protobuf/wire.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { OPENAPI_V2_PROTOBUF, openapiV2, type Swagger } from './openapi-v2.ts'

const widget: ResourceDefinition = {
  ...builtinResources().find(({ kind }) => kind === 'ConfigMap')!,
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  listKind: 'WidgetList',
  plural: 'widgets',
  origin: 'custom',
  schema: () => ({
    type: 'object',
    description: 'A widget.',
    properties: {
      spec: {
        type: 'object',
        nullable: true,
        properties: { size: { anyOf: [{ type: 'integer' }], 'x-kubernetes-int-or-string': true } },
      },
    },
  }),
}
const definitions = [...builtinResources(), widget]
const swagger: Swagger = JSON.parse(String(openapiV2('*/*', definitions)!.body))

/** Fields of a message, by number. */
function fieldsOf(reader: WireReader): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>()
  while (!reader.done) {
    const { field, wire } = reader.tag()
    if (wire !== WIRE_BYTES) reader.skip(wire)
    else fields.set(field, [...(fields.get(field) ?? []), reader.bytes()])
  }
  return fields
}

test('references lead to definitions of the same document', () => {
  const text = JSON.stringify(swagger)
  const names = new Set([...text.matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)].map(([, name]) => name!))
  expect([...names].filter((name) => !Object.hasOwn(swagger.definitions, name))).toEqual([])
  expect(text).not.toContain('#/components/')
})

test('what version 2 does not know is left out', () => {
  expect(swagger.definitions['com.example.v1.Widget']!.properties!['spec']).toEqual({
    type: 'object',
    properties: { size: { 'x-kubernetes-int-or-string': true } },
  })
  expect(swagger.definitions['com.example.v1.Widget']!.description).toBe('A widget.')
  expect(swagger.definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString']).toEqual({
    type: 'string',
    format: 'int-or-string',
  })
})

test('the protobuf form holds the same definitions and paths', () => {
  const { contentType, body } = openapiV2('application/com.github.proto-openapi.spec.v2@v1.0+protobuf', definitions)!
  expect(contentType).toBe(OPENAPI_V2_PROTOBUF)
  const document = fieldsOf(new WireReader(body as Buffer))
  expect(document.get(1)!.map(String)).toEqual(['2.0'])
  const names = (field: number, entry: number): string[] =>
    fieldsOf(new WireReader(document.get(field)![0]!))
      .get(entry)!
      .map((named) => String(fieldsOf(new WireReader(named)).get(1)![0]))
  expect(names(9, 1)).toEqual(Object.keys(swagger.definitions))
  expect(names(8, 2)).toEqual(Object.keys(swagger.paths))
})

test('a form that is not known is not answered', () => {
  expect(openapiV2('text/html', definitions)).toBeUndefined()
  expect(openapiV2('application/json', definitions)?.contentType).toBe('application/json')
  expect(openapiV2('', definitions)?.contentType).toBe('application/json')
})

/** Writes a version 2 document in the protobuf form that clients read (messages of gnostic's OpenAPIv2.proto). */
import type { Schema } from '../schema/schema.ts'
import type { PathItem, Swagger } from './openapi-v2.ts'

export function encodeSwagger({ swagger, info, paths, definitions }: Swagger): Buffer {
  return Buffer.concat([
    text(1, swagger),
    message(2, text(1, info.title), text(2, info.version)),
    message(8, ...named(2, paths, encodePathItem)),
    message(9, ...named(1, definitions, encodeSchema)),
  ])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}

function message(field: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([varint(field * 8 + 2), varint(length), ...parts])
}

/** Nothing for an absent or empty text: that is the default. */
function text(field: number, value: unknown): Buffer {
  return typeof value === 'string' && value !== '' ? message(field, Buffer.from(value)) : NOTHING
}

const NOTHING = Buffer.alloc(0)

const flag = (field: number, value: unknown): Buffer =>
  value === true ? Buffer.concat([varint(field * 8), varint(1)]) : NOTHING

/** A count; the negative ones that JSON Schema does not have are left out. */
function count(field: number, value: unknown): Buffer {
  return typeof value === 'number' && value > 0 ? Buffer.concat([varint(field * 8), varint(value)]) : NOTHING
}

function double(field: number, value: unknown): Buffer {
  if (typeof value !== 'number') return NOTHING
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([varint(field * 8 + 1), bytes])
}

/** Any value, as YAML; JSON is YAML. */
const any = (field: number, value: unknown): Buffer =>
  value === undefined ? NOTHING : message(field, text(2, JSON.stringify(value)))

/** The entries of a map: messages with the name as field 1 and the value as field 2. */
function named<T>(field: number, map: Readonly<Record<string, T>>, encode: (value: T) => readonly Buffer[]): Buffer[] {
  return Object.entries(map).map(([name, value]) => message(field, text(1, name), message(2, ...encode(value))))
}

/** Keys that begin with `x-`. */
function extensions(field: number, object: Readonly<Record<string, unknown>>): Buffer[] {
  const own = Object.entries(object).filter(([name, value]) => name.startsWith('x-') && value !== undefined)
  return own.map(([name, value]) => message(field, text(1, name), any(2, value)))
}

const texts = (field: number, values: readonly unknown[] | undefined): Buffer[] =>
  (values ?? []).map((value) => text(field, value))

function encodeSchema(schema: Schema): Buffer[] {
  const { additionalProperties: rest, properties, items } = schema
  return [
    text(1, schema.$ref),
    text(2, schema.format),
    text(3, schema.title),
    text(4, schema.description),
    any(5, schema.default),
    ...encodeBounds(schema),
    ...texts(19, schema.required),
    ...(schema.enum ?? []).map((value) => any(20, value)),
    ...(rest === undefined
      ? []
      : [message(21, typeof rest === 'object' ? message(1, ...encodeSchema(rest)) : flag(2, rest))]),
    ...(schema.type === undefined ? [] : [message(22, text(1, schema.type))]),
    ...(items === undefined ? [] : [message(23, message(1, ...encodeSchema(items)))]),
    ...(schema.allOf ?? []).map((inner) => message(24, ...encodeSchema(inner))),
    ...(properties === undefined ? [] : [message(25, ...named(1, properties, encodeSchema))]),
    any(30, schema.example),
    ...extensions(31, { ...schema }),
  ]
}

function encodeBounds(schema: Schema): Buffer[] {
  return [
    double(6, schema.multipleOf),
    double(7, schema.maximum),
    flag(8, schema.exclusiveMaximum),
    double(9, schema.minimum),
    flag(10, schema.exclusiveMinimum),
    count(11, schema.maxLength),
    count(12, schema.minLength),
    text(13, schema.pattern),
    count(14, schema.maxItems),
    count(15, schema.minItems),
    flag(16, schema.uniqueItems),
    count(17, schema.maxProperties),
    count(18, schema.minProperties),
  ]
}

type Json = Readonly<Record<string, unknown>>

const METHODS: ReadonlyArray<readonly [method: string, field: number]> = [
  ['get', 2],
  ['put', 3],
  ['post', 4],
  ['delete', 5],
  ['patch', 8],
]

function encodePathItem(item: PathItem): Buffer[] {
  const operations = METHODS.filter(([method]) => item[method] !== undefined)
  return [
    ...operations.map(([method, field]) => message(field, ...encodeOperation(item[method] as Json))),
    ...((item['parameters'] ?? []) as Json[]).map((parameter) => message(9, encodeParameter(parameter))),
  ]
}

function encodeOperation(operation: Json): Buffer[] {
  const responses = operation['responses'] as Readonly<Record<string, Json>>
  return [
    ...texts(1, operation['tags'] as string[]),
    text(5, operation['operationId']),
    ...texts(6, operation['produces'] as string[]),
    ...texts(7, operation['consumes'] as string[]),
    ...((operation['parameters'] ?? []) as Json[]).map((parameter) => message(8, encodeParameter(parameter))),
    message(9, ...named(1, responses, (response) => [message(1, ...encodeResponse(response))])),
    ...extensions(13, operation),
  ]
}

function encodeResponse({ description, schema }: Json): Buffer[] {
  return [
    text(1, description),
    ...(schema === undefined ? [] : [message(2, message(1, ...encodeSchema(schema as Schema)))]),
  ]
}

/** A ParametersItem: a body, or a query or path parameter of a simple type. */
function encodeParameter(parameter: Json): Buffer {
  const { name, required, schema, type, uniqueItems } = parameter
  if (parameter['in'] === 'body') {
    const body = [text(2, name), text(3, 'body'), flag(4, required), message(5, ...encodeSchema(schema as Schema))]
    return message(1, message(1, ...body))
  }
  const isQuery = parameter['in'] === 'query'
  const shift = isQuery ? 1 : 0
  const simple = [
    flag(1, required),
    text(2, parameter['in']),
    text(4, name),
    text(5 + shift, type),
    flag(19 + shift, uniqueItems),
  ]
  return message(1, message(2, message(isQuery ? 3 : 4, ...simple)))
}

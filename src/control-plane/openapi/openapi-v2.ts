/**
 * The older single document of everything, `/openapi/v2`, made from the parts of the newer ones: as JSON, or as protobuf,
 * which is the only form that kubectl asks for.
 */

import { resourceTable } from '../builtin/tables.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Schema } from '../schema/schema.ts'
import { componentsOf } from './components.ts'
import { pathsOf } from './paths.ts'
import { encodeSwagger } from './swagger-protobuf.ts'

/** As answered. Clients still ask for it with `@` before the version, which is not a valid media type. */
export const OPENAPI_V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'
const ACCEPTED_PROTOBUF = /application\/com\.github\.proto-openapi\.spec\.v2[@.]v1\.0\+protobuf/

export interface OpenapiV2Response {
  readonly contentType: string
  readonly body: string | Buffer
}

/** A document of version 2, as far as it is needed here. */
export interface Swagger {
  readonly swagger: '2.0'
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, PathItem>>
  readonly definitions: Readonly<Record<string, Schema>>
}

/** Operations by HTTP method, and the parameters that they share. */
export type PathItem = Readonly<Record<string, unknown>>

interface Rendered {
  json?: string
  protobuf?: Buffer
}

const cache = new WeakMap<readonly ResourceDefinition[], Rendered>()

/** Undefined when `accept` takes neither form. The caller passes the same array until what is served changes. */
export function openapiV2(accept: string, definitions: readonly ResourceDefinition[]): OpenapiV2Response | undefined {
  const rendered = cache.get(definitions) ?? {}
  cache.set(definitions, rendered)
  if (ACCEPTED_PROTOBUF.test(accept)) {
    rendered.protobuf ??= encodeSwagger(swaggerOf(definitions))
    return { contentType: OPENAPI_V2_PROTOBUF, body: rendered.protobuf }
  }
  if (accept !== '' && !/application\/json|application\/\*|\*\/\*/.test(accept)) return undefined
  rendered.json ??= JSON.stringify(swaggerOf(definitions))
  return { contentType: 'application/json', body: rendered.json }
}

function swaggerOf(definitions: readonly ResourceDefinition[]): Swagger {
  const paths = pathsOf(definitions) as Record<string, Record<string, unknown>>
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: resourceTable().kubernetes },
    paths: Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, toPathItem(item)])),
    definitions: Object.fromEntries(
      Object.entries(componentsOf(definitions)).map(([name, schema]) => [name, REPLACED[name] ?? toDefinition(schema)]),
    ),
  }
}

/** Version 2 has no `oneOf`. */
const REPLACED: Readonly<Record<string, Schema>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': { type: 'string', format: 'int-or-string' },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { type: 'string' },
}

/** Keys that version 2 does not know. */
const NEWER = ['oneOf', 'anyOf', 'not', 'nullable'] as const

function toDefinition(schema: Schema): Schema {
  const { allOf, properties, items, additionalProperties, ...rest } = schema
  for (const key of NEWER) delete rest[key]
  const ref = rest.$ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined)
  return {
    ...rest,
    ...(ref !== undefined && { $ref: ref.replace('#/components/schemas/', '#/definitions/') }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, toDefinition(inner)])),
    }),
    ...(items && { items: toDefinition(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: toDefinition(additionalProperties) }
      : additionalProperties !== undefined && { additionalProperties }),
  }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
}

interface Operation {
  readonly tags: readonly string[]
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

function toPathItem({ parameters, ...operations }: Record<string, unknown>): PathItem {
  const converted = Object.entries(operations).map(([method, operation]) => [
    method,
    toOperation(operation as Operation),
  ])
  return { ...Object.fromEntries(converted), parameters: (parameters as Parameter[]).map(toParameter) }
}

function toParameter({ schema, ...parameter }: Parameter): object {
  return { ...parameter, ...schema }
}

function toOperation({ parameters = [], requestBody, responses, ...operation }: Operation): object {
  const [body] = Object.values(requestBody?.content ?? {})
  const bodyParameter = body && {
    name: 'body',
    in: 'body',
    required: requestBody?.required === true,
    schema: toDefinition(body.schema),
  }
  return {
    ...operation,
    consumes: Object.keys(requestBody?.content ?? { '*/*': {} }),
    produces: ['application/json'],
    parameters: [...(bodyParameter ? [bodyParameter] : []), ...parameters.map(toParameter)],
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, { description, content }]) => {
        const [answer] = Object.values(content ?? {})
        return [code, { description, ...(answer && { schema: toDefinition(answer.schema) }) }]
      }),
    ),
  }
}

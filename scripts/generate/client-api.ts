/** Types and routes of the HTTP client, out of the same description as deploy/openapi.json. */
import { compile, type JSONSchema } from 'json-schema-to-typescript'
import { describeApi } from '../../src/http/describe-api.ts'
import { KOBE_VERSION } from '../../src/version.ts'
import type { Generator } from './generated-files.ts'

const FOLDER = 'src/client/generated'
const STYLE = { semi: false, singleQuote: true, printWidth: 120 } as const
const MADE_BY = 'Made by `npm run generate` out of the routes of the HTTP API; never edit it by hand.'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: JSONSchema
}

interface Content {
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: JSONSchema }>>
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export const clientApi: Generator = {
  name: 'client',
  owns: [FOLDER],
  async run() {
    const routes = routesOf((await describeApi(KOBE_VERSION)) as { paths: Record<string, Record<string, Operation>> })
    return new Map([
      [`${FOLDER}/api.ts`, await typesOf(routes)],
      [`${FOLDER}/routes.ts`, tableOf(routes)],
    ])
  },
}

/** Only the routes of the API proper: probes, metrics and the description itself are no calls of a client. */
function routesOf(description: { readonly paths: Readonly<Record<string, Record<string, Operation>>> }): Route[] {
  return Object.entries(description.paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    )
}

function typesOf(routes: readonly Route[]): Promise<string> {
  const properties = Object.fromEntries(routes.map(({ operation }) => [operation.operationId, schemaOf(operation)]))
  const schema: JSONSchema = {
    description: 'What each operation takes and answers.',
    ...closed(properties, Object.keys(properties)),
  }
  return compile(schema, 'Operations', {
    additionalProperties: false,
    // Otherwise a list of at most 16 becomes a choice of 17 tuples.
    ignoreMinAndMaxItems: true,
    bannerComment: `/** ${MADE_BY} */`,
    style: STYLE,
  })
}

function schemaOf({ summary = '', parameters = [], requestBody, responses }: Operation): JSONSchema {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const parts: Record<string, JSONSchema | undefined> = {
    params: parametersOf(parameters, 'path'),
    query: parametersOf(parameters, 'query'),
    body: jsonOf(requestBody),
    answer: jsonOf(success),
  }
  const present = Object.entries(parts).filter((part): part is [string, JSONSchema] => part[1] !== undefined)
  return {
    description: `${summary}.`,
    ...closed(
      Object.fromEntries(present),
      present.filter(([name, part]) => name !== 'query' || isNeeded(part)).map(([name]) => name),
    ),
  }
}

function parametersOf(parameters: readonly Parameter[], place: string): JSONSchema | undefined {
  const here = parameters.filter((parameter) => parameter.in === place)
  if (here.length === 0) return undefined
  const properties = here.map(({ name, description = '', schema }) => [name, { ...schema, description }])
  return closed(
    Object.fromEntries(properties),
    here.filter(({ required }) => required).map(({ name }) => name),
  )
}

/** A query whose parameters may all be left out may be left out itself. */
const isNeeded = ({ required }: JSONSchema): boolean => Array.isArray(required) && required.length > 0

function closed(properties: Record<string, JSONSchema>, required: string[]): JSONSchema {
  return { type: 'object', additionalProperties: false, properties, required }
}

function jsonOf(content: Content | undefined): JSONSchema | undefined {
  const schema = content?.content?.['application/json']?.schema
  return schema === undefined ? undefined : withUnknown(schema)
}

/** A schema that says nothing of the value would become a type of objects; it is `unknown`. */
function withUnknown(schema: JSONSchema): JSONSchema {
  if (Object.keys(schema).every((key) => key === 'description')) return { ...schema, tsType: 'unknown' }
  const { properties, items } = schema
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: mapValues(properties, withUnknown) }),
    ...(items === undefined || Array.isArray(items) ? {} : { items: withUnknown(items) }),
  }
}

function mapValues<V>(object: Readonly<Record<string, V>>, change: (value: V) => V): Record<string, V> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}

function tableOf(routes: readonly Route[]): string {
  const lines = routes.map(
    ({ method, path, operation }) => `  ${operation.operationId}: { method: '${method}', path: '${path}' },`,
  )
  return [`/** ${MADE_BY} */`, 'export const ROUTES = {', ...lines, '} as const', ''].join('\n')
}

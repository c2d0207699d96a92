/**
 * OpenAPI v3 in one document per group version, as kubectl reads it for `explain`, `create`, `apply` and `diff`. Documents
 * are built on first request. The index names each with a hash; clients keep a document for as long as its hash stays.
 */
import { createHash } from 'node:crypto'
import { resourceTable } from '../builtin/tables.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import { componentsOf } from './components.ts'
import { pathsOf } from './paths.ts'

/** `apis/apps/v1` -> its definitions, with what was already built from them. */
interface Documents {
  readonly members: ReadonlyMap<string, readonly ResourceDefinition[]>
  readonly built: Map<string, string>
  index?: string
}

/** The caller passes the same array until what is served changes. */
const cache = new WeakMap<readonly ResourceDefinition[], Documents>()
/** Documents without custom kinds never change; they outlive a change of the custom ones. */
const builtinDocuments = new Map<string, string>()

/** The answer to `/openapi/v3`: every document with its URL. */
export function openapiIndex(definitions: readonly ResourceDefinition[]): string {
  const documents = documentsOf(definitions)
  documents.index ??= JSON.stringify({
    paths: Object.fromEntries(
      [...documents.members].map(([path, members]) => [
        path,
        { serverRelativeURL: `/openapi/v3/${path}?hash=${hashOf(path, members)}` },
      ]),
    ),
  })
  return documents.index
}

/** One document; `path` is `api/v1` or `apis/GROUP/VERSION`. Undefined when that group version is not served. */
export function openapiDocument(path: string, definitions: readonly ResourceDefinition[]): string | undefined {
  const { members, built } = documentsOf(definitions)
  const own = members.get(path)
  if (own === undefined) return undefined
  const store = own.every(({ origin }) => origin === 'builtin') ? builtinDocuments : built
  const known = store.get(path)
  if (known !== undefined) return known
  const document = JSON.stringify(buildDocument(own))
  store.set(path, document)
  return document
}

function documentsOf(definitions: readonly ResourceDefinition[]): Documents {
  const known = cache.get(definitions)
  if (known !== undefined) return known
  const members = Map.groupBy(definitions, ({ group, version }) =>
    group === '' ? `api/${version}` : `apis/${group}/${version}`,
  )
  const documents: Documents = { members, built: new Map() }
  cache.set(definitions, documents)
  return documents
}

function buildDocument(definitions: readonly ResourceDefinition[]): object {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: resourceTable().kubernetes },
    paths: pathsOf(definitions),
    components: {
      schemas: componentsOf(definitions),
      securitySchemes: { BearerToken: { type: 'apiKey', in: 'header', name: 'authorization' } },
    },
  }
}

function hashOf(path: string, definitions: readonly ResourceDefinition[]): string {
  const hash = createHash('sha256').update(`${resourceTable().kubernetes} ${path}`)
  for (const definition of definitions) {
    if (definition.origin === 'custom') hash.update(fingerprint(definition))
  }
  return hash.digest('hex').toUpperCase()
}

const fingerprints = new WeakMap<ResourceDefinition, string>()

/** All that the document shows of a custom kind. */
function fingerprint(definition: ResourceDefinition): string {
  const known = fingerprints.get(definition)
  if (known !== undefined) return known
  const { kind, listKind, plural, namespaced, verbs, subresources } = definition
  const text = JSON.stringify([kind, listKind, plural, namespaced, verbs, subresources, definition.schema()])
  const found = createHash('sha256').update(text).digest('hex')
  fingerprints.set(definition, found)
  return found
}

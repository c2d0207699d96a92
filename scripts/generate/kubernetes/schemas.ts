/** OpenAPI v3 documents -> one table of definitions per Go package, without any prose. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** Keys that hold data, in which a key called `description` is not prose. */
const MAPS_OF_SCHEMAS = new Set(['properties'])
const DROPPED = new Set(['description', 'x-kubernetes-unions'])
const REF_PREFIX = '#/components/schemas/'

/** All definitions of the given group versions, by name. */
export function readDefinitions(kubernetes: string, groupVersions: readonly string[]): Map<string, JsonObject> {
  const definitions = new Map<string, JsonObject>()
  for (const groupVersion of groupVersions) {
    const file = path.join(kubernetes, 'api/openapi-spec/v3', `${documentName(groupVersion)}_openapi.json`)
    const document = JSON.parse(readFileSync(file, 'utf8'))
    for (const [name, schema] of Object.entries<JsonObject>(document.components.schemas)) {
      if (!definitions.has(name)) definitions.set(name, withServedKinds(compact(schema), groupVersions))
    }
  }
  return definitions
}

function documentName(groupVersion: string): string {
  return groupVersion.includes('/') ? `apis__${groupVersion.replace('/', '__')}` : `api__${groupVersion}`
}

/** Drops prose; writes `allOf: [{$ref}]` as a plain `$ref` beside the other keys; drops defaults of list items and map values, which mean nothing. */
function compact(schema: JsonObject): JsonObject {
  const keys = Object.keys(schema).filter((key) => !DROPPED.has(key))
  return Object.assign({}, ...keys.sort().map((key) => compactKey(key, schema[key] as Json)))
}

function compactKey(key: string, value: Json): JsonObject {
  if (key === 'allOf') return singleRef(value)
  if (MAPS_OF_SCHEMAS.has(key)) return { [key]: compactMap(value as JsonObject) }
  if (key === 'items' || key === 'additionalProperties') return { [key]: compactElement(value) }
  return { [key]: value }
}

function compactMap(map: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((name) => [name, compact(map[name] as JsonObject)]),
  )
}

function compactElement(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { default: _meaningless, ...element } = compact(value)
  return element
}

function singleRef(value: Json): JsonObject {
  const [only, ...rest] = value as JsonObject[]
  if (rest.length > 0 || typeof only?.['$ref'] !== 'string') throw new Error('an allOf that is not one reference')
  return { $ref: only['$ref'] }
}

/** Option kinds such as DeleteOptions name every group version there is: keep those that are served. */
function withServedKinds(schema: JsonObject, groupVersions: readonly string[]): JsonObject {
  const kinds = schema['x-kubernetes-group-version-kind']
  if (!Array.isArray(kinds)) return schema
  const served = (kinds as Array<{ group: string; version: string }>).filter(({ group, version }) =>
    groupVersions.includes(group === '' ? version : `${group}/${version}`),
  )
  return { ...schema, 'x-kubernetes-group-version-kind': served as unknown as Json }
}

/** The package of a definition: all but the last part of its name. */
export const packageOf = (name: string): string => name.slice(0, name.lastIndexOf('.'))

/** Groups definitions by package, names and packages sorted. */
export function byPackage<T>(definitions: ReadonlyMap<string, T>): Map<string, Record<string, T>> {
  const packages = new Map<string, Record<string, T>>()
  for (const name of [...definitions.keys()].sort()) {
    const members = packages.get(packageOf(name)) ?? {}
    members[name.slice(packageOf(name).length + 1)] = definitions.get(name) as T
    packages.set(packageOf(name), members)
  }
  return packages
}

/**
 * Definitions that occur below some kind's `status` and nowhere else. What is required there is only what Go always
 * writes (a count of zero, an empty name): a writer of status may leave it out.
 */
export function statusOnly(definitions: ReadonlyMap<string, JsonObject>): string[] {
  const inStatus = new Set<string>()
  const elsewhere = new Set<string>()
  for (const schema of definitions.values()) {
    if (!schema['x-kubernetes-group-version-kind']) continue
    const { status, ...others } = (schema['properties'] ?? {}) as JsonObject
    if (status !== undefined) reach(status, definitions, inStatus)
    reach(others, definitions, elsewhere)
  }
  // A list kind refers to its items' whole kind, status included: reach() stops at kinds, which are visited on their own.
  return [...inStatus].filter((name) => !elsewhere.has(name)).sort()
}

function reach(value: Json, definitions: ReadonlyMap<string, JsonObject>, seen: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') follow(inner.slice(REF_PREFIX.length), definitions, seen)
    else reach(inner as Json, definitions, seen)
  }
}

function follow(name: string, definitions: ReadonlyMap<string, JsonObject>, seen: Set<string>): void {
  const schema = definitions.get(name)
  if (schema === undefined) throw new Error(`unknown definition ${name}`)
  if (seen.has(name) || schema['x-kubernetes-group-version-kind']) return
  seen.add(name)
  reach(schema, definitions, seen)
}

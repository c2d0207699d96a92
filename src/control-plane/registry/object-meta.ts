/** Reads the `metadata` of a request body: known fields of the right type stay, everything else is a finding. */
import { badRequest } from '../errors.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import { timeProblem } from './decode-problem.ts'
import type { FieldFindings } from './field-findings.ts'
import type { StoredMeta } from './resource-definition.ts'

/** Metadata as clients send it: nothing is required yet. */
export type DraftMeta = Partial<StoredMeta>

type Reader = (value: unknown) => unknown

/** Answers undefined for a value of the wrong type. */
const readString: Reader = (value) => (typeof value === 'string' ? value : undefined)
const readInteger: Reader = (value) => (Number.isInteger(value) ? value : undefined)
const readBoolean: Reader = (value) => (typeof value === 'boolean' ? value : undefined)
const readTime: Reader = (value) => (typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? value : undefined)

const readStringMap: Reader = (value) => {
  if (!isObject(value)) return undefined
  const entries = Object.entries(value).map(([key, item]) => [key, item ?? ''] as const)
  return entries.every(([, item]) => typeof item === 'string') ? Object.fromEntries(entries) : undefined
}

const readStringList: Reader = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined

const OWNER_FIELDS: Readonly<Record<string, Reader>> = {
  apiVersion: readString,
  kind: readString,
  name: readString,
  uid: readString,
  controller: readBoolean,
  blockOwnerDeletion: readBoolean,
}

const META_FIELDS: Readonly<Record<string, Reader>> = {
  name: readString,
  generateName: readString,
  namespace: readString,
  uid: readString,
  resourceVersion: readString,
  generation: readInteger,
  creationTimestamp: readTime,
  deletionTimestamp: readTime,
  deletionGracePeriodSeconds: readInteger,
  labels: readStringMap,
  annotations: readStringMap,
  finalizers: readStringList,
}

/** Accepted and not kept: `selfLink` is obsolete. */
const DROPPED: ReadonlySet<string> = new Set(['selfLink', 'managedFields'])

/** @throws ApiError 400 for a field of the wrong type. */
export function readMeta(value: unknown, findings: FieldFindings): DraftMeta {
  if (value === undefined || value === null) return {}
  if (!isObject(value)) throw wrongType('metadata', value)
  const meta: JsonObject = {}
  for (const [key, item] of Object.entries(value)) {
    if (DROPPED.has(key)) continue
    if (key === 'ownerReferences') readOwners(meta, item, findings)
    else readField(META_FIELDS, meta, { key, item, path: `metadata.${key}` }, findings)
  }
  return meta as DraftMeta
}

interface Field {
  readonly key: string
  readonly item: unknown
  readonly path: string
}

function readField(
  readers: Readonly<Record<string, Reader>>,
  target: JsonObject,
  { key, item, path }: Field,
  findings: FieldFindings,
): void {
  const reader = Object.hasOwn(readers, key) ? readers[key] : undefined
  if (reader === undefined) {
    findings.unknown(path)
    return
  }
  if (item === null) return
  const read = reader(item)
  if (read === undefined) throw wrongType(path, item)
  if (!isEmpty(read)) target[key] = read
}

function isEmpty(value: unknown): boolean {
  return value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}

function readOwners(meta: JsonObject, value: unknown, findings: FieldFindings): void {
  if (value === null) return
  if (!Array.isArray(value)) throw wrongType('metadata.ownerReferences', value)
  const owners = value.map((item: unknown, index) => {
    const path = `metadata.ownerReferences[${index}]`
    if (!isObject(item)) throw wrongType(path, item)
    const owner: JsonObject = { apiVersion: '', kind: '', name: '', uid: '' }
    for (const [key, field] of Object.entries(item)) {
      readField(OWNER_FIELDS, owner, { key, item: field, path: `${path}.${key}` }, findings)
    }
    return owner
  })
  if (owners.length > 0) meta['ownerReferences'] = owners
}

const MAPS: ReadonlySet<string> = new Set(['metadata.labels', 'metadata.annotations'])

const GO_TYPES: Readonly<Record<string, string>> = {
  'metadata.labels': 'map[string]string',
  'metadata.annotations': 'map[string]string',
  'metadata.finalizers': '[]string',
  'metadata.ownerReferences': '[]v1.OwnerReference',
  'metadata.generation': 'int64',
  'metadata.deletionGracePeriodSeconds': 'int64',
}

function jsonName(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value
}

function wrongType(path: string, value: unknown): Error {
  if (/Timestamp$/.test(path) && typeof value === 'string') return badRequest(timeProblem(value))
  const inMap = isObject(value) && MAPS.has(path)
  const wrong = inMap ? Object.values(value).find((item) => typeof item !== 'string') : value
  const type = inMap ? 'string' : (GO_TYPES[path] ?? 'string')
  return badRequest(`json: cannot unmarshal ${jsonName(wrong)} into Go struct field ObjectMeta.${path} of type ${type}`)
}

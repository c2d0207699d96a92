/** Manifest text to objects. The first document that is no Kubernetes object makes the whole manifest invalid. */
import type { KubeObject } from '../../../../api/resource.ts'
import { contentHash } from '../content-hash.ts'
import { MAX_BODY_BYTES } from '../fetch/fetch-public.ts'
import { readYaml } from './manifest-yaml.ts'

export interface ManifestObject {
  /** `document 2`, or `document 2, item 1` inside a List. Counted from 1, as separated by `---`. */
  readonly position: string
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly namespace?: string
  /** Never changed: it may be shared between members. */
  readonly object: Readonly<KubeObject>
  /** Of this object and its position. */
  readonly hash: string
}

export type Manifest =
  | { readonly valid: true; readonly objects: readonly ManifestObject[] }
  | { readonly valid: false; readonly reason: string }

export type ManifestParser = (text: string) => Promise<Manifest>

const API_VERSION = /^(?:[a-z0-9.-]+\/)?[a-z0-9]+$/

class InvalidManifest extends Error {}

export async function parseManifest(text: string): Promise<Manifest> {
  if (Buffer.byteLength(text) > MAX_BODY_BYTES) {
    return { valid: false, reason: `the manifest is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB` }
  }
  try {
    return { valid: true, objects: await objectsOf(text) }
  } catch (error) {
    if (error instanceof InvalidManifest) return { valid: false, reason: error.message }
    throw error
  }
}

async function objectsOf(text: string): Promise<ManifestObject[]> {
  const objects: ManifestObject[] = []
  let count = 0
  for await (const document of readYaml(text)) {
    const position = `document ${++count}`
    if (!document.valid) throw new InvalidManifest(`${position} cannot be parsed: ${document.reason}`)
    // Only comments, or nothing, between two separators.
    if (document.value === null || document.value === undefined) continue
    objects.push(...flattened(document.value, position))
  }
  return objects
}

/** `kubectl get -o yaml` and some generators wrap objects in a List. */
function flattened(value: unknown, position: string): ManifestObject[] {
  const fields = fieldsOf(value, position)
  const kind = textOf(fields, 'kind', position)
  const { items } = fields
  if (!kind.endsWith('List') || !Array.isArray(items)) return [objectOf(fields, kind, position)]
  return items.flatMap((item: unknown, index) => flattened(item, `${position}, item ${index + 1}`))
}

function objectOf(fields: Record<string, unknown>, kind: string, position: string): ManifestObject {
  const apiVersion = textOf(fields, 'apiVersion', position)
  if (!API_VERSION.test(apiVersion)) {
    throw new InvalidManifest(`${position}: apiVersion ${JSON.stringify(apiVersion)} is not valid`)
  }
  const metadata = fieldsOf(fields['metadata'] ?? {}, `${position}: metadata`)
  const name = textOf(metadata, 'name', `${position} (${kind}): metadata`)
  const { namespace } = metadata
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') {
    throw new InvalidManifest(`${position} (${kind} ${name}): metadata.namespace must be text`)
  }
  return {
    position,
    apiVersion,
    kind,
    name,
    ...(typeof namespace === 'string' && namespace !== '' ? { namespace } : {}),
    object: { ...fields, metadata },
    hash: contentHash(`${position}\n${JSON.stringify(fields)}`),
  }
}

function fieldsOf(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new InvalidManifest(`${where} is not an object`)
}

function textOf(fields: Record<string, unknown>, field: string, where: string): string {
  const value = fields[field]
  if (typeof value === 'string' && value !== '') return value
  throw new InvalidManifest(`${where} has no ${field}`)
}

/** Members of one pool carry the same manifests: each is parsed once, as a large one takes a good part of a second. */
const KEPT_MANIFESTS = 16

export function createManifestParser(): ManifestParser {
  const kept = new Map<string, Promise<Manifest>>()
  return (text) => {
    const hash = contentHash(text)
    const manifest = kept.get(hash) ?? parseManifest(text)
    // Deleted and set again: the order of a Map is then that of use.
    kept.delete(hash)
    kept.set(hash, manifest)
    const [oldest] = kept.keys()
    if (kept.size > KEPT_MANIFESTS && oldest !== undefined) kept.delete(oldest)
    return manifest
  }
}

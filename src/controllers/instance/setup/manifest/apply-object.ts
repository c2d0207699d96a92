/** One object of a manifest into a member: server-side apply, or create and merge patch where the server knows no apply. */
import type { KubeObject, ResourceType } from '../../../../api/resource.ts'
import type { WriteOptions } from '../../../../kube/client.ts'
import { isKubeError, type KubeError } from '../../../../kube/errors.ts'
import type { Guest } from '../guest.ts'
import { DONE, failed, type StepResult, waiting } from '../step-result.ts'
import type { ManifestObject } from './parse-manifest.ts'

const WRITE: WriteOptions = { fieldManager: 'kobe-operator' }
const DEFAULT_NAMESPACE = 'default'
const UNSUPPORTED_MEDIA_TYPE = 415
const INTERNAL_SERVER_ERROR = 500

/** @param owner what the object belongs to, for messages: `addon cni`. */
export async function applyObject(guest: Guest, owner: string, manifest: ManifestObject): Promise<StepResult> {
  const { apiVersion, kind, position } = manifest
  const type = await guest.kinds.find(apiVersion, kind)
  if (type === undefined) {
    return waiting(`${owner}: ${position}: waiting for the cluster to know kind ${kind} of ${apiVersion}`)
  }
  const object = placed(manifest, type)
  try {
    await write(guest, type, object)
    return DONE
  } catch (error) {
    if (isKubeError(error)) return refused(error, `${owner}: ${position} (${kind} ${nameOf(object)})`)
    throw error
  }
}

function nameOf({ metadata: { name, namespace } }: KubeObject): string {
  return namespace === undefined ? `${name}` : `${namespace}/${name}`
}

/** Where the object goes. Exported objects carry what only their first server may set: that is left out. */
function placed(manifest: ManifestObject, type: ResourceType): KubeObject {
  const {
    managedFields: _fields,
    resourceVersion: _version,
    uid: _uid,
    namespace,
    ...metadata
  } = manifest.object.metadata
  const place = type.namespaced ? { namespace: namespace || DEFAULT_NAMESPACE } : {}
  return { ...manifest.object, metadata: { ...metadata, ...place } }
}

async function write(guest: Guest, type: ResourceType, object: KubeObject): Promise<void> {
  if (guest.serverSideApply && (await applied(guest, type, object))) return
  try {
    await guest.client.create(type, object, WRITE)
  } catch (error) {
    if (!isKubeError(error, 'AlreadyExists')) throw error
    await guest.client.patch(type, refOf(object), { type: 'merge', body: object }, WRITE)
  }
}

/** False when the object has to be written in the other way. */
async function applied(guest: Guest, type: ResourceType, object: KubeObject): Promise<boolean> {
  try {
    await guest.client.patch(type, refOf(object), { type: 'apply', body: object }, { ...WRITE, force: true })
    return true
  } catch (error) {
    if (!isKubeError(error)) throw error
    if (isUnsupported(error)) guest.serverSideApply = false
    else if (!isUntyped(error)) throw error
    return false
  }
}

function isUnsupported({ details }: KubeError): boolean {
  return details.status === UNSUPPORTED_MEDIA_TYPE
}

/**
 * A field that the schema does not know, or of another type, makes apply fail as a bare 500 without a reason: it looks like a
 * server in trouble. Written the other way, an unknown field is dropped, as everywhere else, and a wrong type is named.
 */
function isUntyped({ details }: KubeError): boolean {
  return details.status === INTERNAL_SERVER_ERROR && details.reason === undefined
}

function refOf({ metadata: { name = '', namespace } }: KubeObject): { name: string; namespace?: string } {
  return namespace === undefined ? { name } : { name, namespace }
}

/** What the server finds wrong with the object stays wrong; all else may pass: a webhook that starts, a namespace to come. */
function refused(error: KubeError, where: string): StepResult {
  if (error.code !== 'Invalid' && error.code !== 'BadRequest') return waiting(`${where}: ${error.message}`)
  const causes = (error.details.causes ?? []).map(({ field, message }) => [field, message].filter(Boolean).join(': '))
  return failed(`${where} was refused by the API server: ${causes.length > 0 ? causes.join('; ') : error.message}`)
}

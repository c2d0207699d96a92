/** Which handler serves which verb of which part of a resource. */
import { methodNotAllowed, noSuchPath, notFound } from '../errors.ts'
import { storageName } from '../registry/kind-traits.ts'
import type { ResourceDefinition } from '../registry/resource-definition.ts'
import type { Handler } from './api-request.ts'
import { handleDelete, handleDeleteCollection } from './delete-request.ts'
import { handlePatch } from './patch-object.ts'
import { getObject, listObjects } from './read-object.ts'
import { watchObjects } from './watch-objects.ts'
import { handleCreate, handleUpdate } from './write-object.ts'

const MAIN: Readonly<Record<string, Handler>> = {
  get: getObject,
  list: listObjects,
  watch: watchObjects,
  create: handleCreate,
  update: handleUpdate,
  patch: handlePatch,
  delete: handleDelete,
  deletecollection: handleDeleteCollection,
}

const STATUS: Readonly<Record<string, Handler>> = { get: getObject, update: handleUpdate, patch: handlePatch }

const SCALE: Readonly<Record<string, Handler>> = {
  get: async (request) => (await import('./scale.ts')).getScale(request),
  update: async (request) => (await import('./scale.ts')).updateScale(request),
  patch: async (request) => (await import('./patch-scale.ts')).patchScale(request),
}

/** Kinds that are questions: nothing is stored. */
const REVIEWS: ReadonlySet<string> = new Set([
  'selfsubjectreviews.authentication.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'tokenreviews.authentication.k8s.io',
])

const KUBELET: Handler = async (request) => (await import('./ask-kubelet.ts')).askKubelet(request)

/** Subresources of single kinds, as `resource/subresource`. */
const OTHERS: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  'namespaces/finalize': { update: handleUpdate },
  'serviceaccounts/token': {
    create: async (request) => (await import('../tokens/token-request.ts')).handleTokenRequest(request),
  },
  'certificatesigningrequests.certificates.k8s.io/approval': {
    get: getObject,
    update: async (request) => (await import('./signing-request.ts')).updateApproval(request),
    patch: async (request) => (await import('./signing-request.ts')).patchApproval(request),
  },
  'pods/log': { get: KUBELET },
  'pods/exec': { get: KUBELET, create: KUBELET },
  'pods/attach': { get: KUBELET, create: KUBELET },
  'pods/portforward': { get: KUBELET, create: KUBELET },
  'pods/binding': { create: async (request) => (await import('./bind-pod.ts')).handleBinding(request) },
  'pods/eviction': { create: async (request) => (await import('./evict-pod.ts')).handleEviction(request) },
}

interface Wanted {
  /** Empty: the resource itself. */
  readonly subresource: string
  readonly verb: string
  readonly name?: string
}

/** @throws ApiError 404 (no such subresource), 405 (no such verb) */
export function handlerFor(definition: ResourceDefinition, { subresource, verb, name }: Wanted): Handler {
  const table = subresource === '' ? mainTable(definition) : subresourceTable(definition, subresource, name)
  const handler = table[verb]
  if (handler === undefined || (subresource === '' && !definition.verbs.includes(verb))) {
    throw methodNotAllowed()
  }
  return handler
}

const REVIEW: Readonly<Record<string, Handler>> = {
  create: async (request) => (await import('./review.ts')).handleReview(request),
}

const SIGNING_REQUEST: Readonly<Record<string, Handler>> = {
  ...MAIN,
  create: async (request) => (await import('./signing-request.ts')).createSigningRequest(request),
}

function mainTable(definition: ResourceDefinition): Readonly<Record<string, Handler>> {
  const name = storageName(definition)
  if (REVIEWS.has(name)) return REVIEW
  return name === 'certificatesigningrequests.certificates.k8s.io' ? SIGNING_REQUEST : MAIN
}

function subresourceTable(
  definition: ResourceDefinition,
  subresource: string,
  name = '',
): Readonly<Record<string, Handler>> {
  const { status, scale } = definition.subresources
  if (subresource === 'status' && status === true) return STATUS
  if (subresource === 'scale' && scale !== undefined) return SCALE
  const table = OTHERS[`${storageName(definition)}/${subresource}`]
  if (table === undefined) throw definition.origin === 'custom' ? notFound(definition, name) : noSuchPath()
  return table
}

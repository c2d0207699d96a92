/** `POST serviceaccounts/NAME/token` `[k8s registry/core/serviceaccount/storage/token]`. */
import { randomUUID } from 'node:crypto'
import { badRequest, conflict, invalid, notFound } from '../errors.ts'
import { type Answer, type ApiRequest, isDryRun, jsonAnswer } from '../handlers/api-request.ts'
import { currentEntry } from '../handlers/current-entry.ts'
import { readObject } from '../handlers/read-body.ts'
import { formatTime } from '../registry/core.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { invalidError } from '../schema/field-error.ts'
import { isObject, type JsonObject } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { keyOf } from '../store/entry.ts'
import { EXTENDED_IF_SECONDS, EXTENDED_SECONDS, type ObjectRef, renderBound } from './claims.ts'
import { ISSUER } from './verdict.ts'

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' }
const API_VERSION = 'authentication.k8s.io/v1'
const DEFAULT_SECONDS = 3600
const MIN_SECONDS = 600
const MAX_SECONDS = 2 ** 32

interface BoundObjectRef {
  readonly kind?: string
  readonly apiVersion?: string
  readonly name?: string
  readonly uid?: string
}

interface TokenSpec {
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  readonly boundObjectRef: BoundObjectRef | null
}

export async function handleTokenRequest(request: ApiRequest): Promise<Answer> {
  const { core, namespace = '', query, http } = request
  // A token is stored nowhere: a dry run is answered like any other request, as long as it is asked for properly.
  isDryRun(query, 'CreateOptions')
  const body = readRequest(await readObject(http))
  const account = checkAccount(request, body.metadata)
  const spec = readSpec(body.spec)
  const bound = findBound(request, spec.boundObjectRef)
  const nowMs = core.now()
  const issuedAt = Math.floor(nowMs / 1000)
  const extended = bound.pod !== undefined && spec.expirationSeconds === EXTENDED_IF_SECONDS && isOwnAudience(spec)
  const claims = {
    kind: 'bound',
    audiences: spec.audiences,
    expiresAt: issuedAt + (extended ? EXTENDED_SECONDS : spec.expirationSeconds),
    notBefore: issuedAt,
    id: randomUUID(),
    namespace,
    serviceAccount: { name: account.metadata.name, uid: account.metadata.uid },
    ...bound,
  } as const
  const token = await (await request.tokens.load()).sign(
    renderBound(claims, issuedAt, extended ? issuedAt + spec.expirationSeconds : undefined),
  )
  const { name, uid } = account.metadata
  return jsonAnswer(201, {
    kind: KIND.kind,
    apiVersion: API_VERSION,
    metadata: { name, namespace, uid, creationTimestamp: formatTime(nowMs) },
    spec,
    status: {
      token,
      expirationTimestamp: formatTime(nowMs + spec.expirationSeconds * 1000),
    },
  })
}

function isOwnAudience({ audiences }: TokenSpec): boolean {
  return audiences.every((audience) => audience === ISSUER)
}

/** @throws ApiError 400 */
function readRequest(body: unknown): { metadata: JsonObject; spec: JsonObject } {
  if (!isObject(body)) throw badRequest('the body is not an object')
  const { kind = KIND.kind, apiVersion = API_VERSION, metadata, spec } = body
  if (kind !== KIND.kind || apiVersion !== API_VERSION) {
    const version = String(apiVersion).split('/').at(-1)
    throw badRequest(`${kind} in version "${version}" cannot be handled as a TokenRequest: unknown conversion`)
  }
  return { metadata: isObject(metadata) ? metadata : {}, spec: isObject(spec) ? spec : {} }
}

/** @throws ApiError 400, 404, 409, 422 */
function checkAccount(request: ApiRequest, { name, namespace, uid }: JsonObject): StoredObject {
  if (isStated(namespace) && namespace !== request.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  const expected = request.name ?? ''
  if (isStated(name) && name !== expected) {
    throw invalid(KIND, expected, [
      invalidError('metadata.name', name, 'must match the service account name if specified'),
    ])
  }
  const account = currentEntry(request).object
  if (isStated(uid) && uid !== account.metadata.uid) {
    const why = `the UID in the token request (${uid}) does not match the UID of the service account (${account.metadata.uid})`
    throw conflict({ group: KIND.group, plural: KIND.kind }, expected, why)
  }
  return account
}

function isStated(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** @throws ApiError 400, 422 */
function readSpec({ audiences, expirationSeconds, boundObjectRef }: JsonObject): TokenSpec {
  const listed = audiences ?? []
  if (!Array.isArray(listed) || !listed.every((audience) => typeof audience === 'string')) {
    throw badRequest(`${CANNOT_BE_HANDLED}spec.audiences is not a list of strings`)
  }
  const seconds = expirationSeconds ?? DEFAULT_SECONDS
  if (typeof seconds !== 'number' || !Number.isInteger(seconds)) {
    throw badRequest(`${CANNOT_BE_HANDLED}spec.expirationSeconds is not a whole number`)
  }
  const errors = checkSeconds(seconds)
  if (errors.length > 0) throw invalid(KIND, '', errors)
  return {
    audiences: listed.length === 0 ? [ISSUER] : listed,
    expirationSeconds: seconds,
    boundObjectRef: isObject(boundObjectRef) ? readRef(boundObjectRef) : null,
  }
}

const CANNOT_BE_HANDLED = 'TokenRequest in version "v1" cannot be handled as a TokenRequest: '

function checkSeconds(seconds: number): FieldError[] {
  const field = 'spec.expirationSeconds'
  if (seconds < MIN_SECONDS) return [invalidError(field, seconds, 'may not specify a duration less than 10 minutes')]
  if (seconds > MAX_SECONDS) {
    return [invalidError(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
  }
  return []
}

function readRef(ref: JsonObject): BoundObjectRef {
  const fields = ['kind', 'apiVersion', 'name', 'uid'].filter((field) => isStated(ref[field]))
  return Object.fromEntries(fields.map((field) => [field, ref[field]]))
}

interface BoundObjects {
  readonly pod: ObjectRef | undefined
  readonly secret: ObjectRef | undefined
  readonly node: ObjectRef | undefined
}

/** @throws ApiError 400, 404, 409 */
function findBound(request: ApiRequest, ref: BoundObjectRef | null): BoundObjects {
  const none = { pod: undefined, secret: undefined, node: undefined }
  if (ref === null) return none
  switch (`${ref.apiVersion} ${ref.kind}`) {
    case 'v1 Secret':
      return { ...none, secret: find(request, 'secrets', ref) }
    case 'v1 Node':
      return { ...none, node: find(request, 'nodes', ref) }
    case 'v1 Pod':
      return { ...none, ...findPod(request, ref) }
    default:
      throw badRequest(`cannot bind token to object of type ${describeKind(ref)}`)
  }
}

/** As Go prints a kind: `apps/v1, Kind=Deployment`. */
function describeKind({ apiVersion = '', kind = '' }: BoundObjectRef): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}

function find({ core, namespace = '' }: ApiRequest, plural: string, ref: BoundObjectRef): ObjectRef {
  const { name = '', uid, kind = '' } = ref
  const entry = core.store.get(plural, plural === 'nodes' ? name : keyOf(namespace, name))
  if (entry === undefined) throw notFound({ group: '', plural }, name)
  const actual = entry.object.metadata.uid
  if (uid !== undefined && uid !== actual) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`
    throw conflict({ group: '', plural: kind }, name, why)
  }
  return { name, uid: actual }
}

function findPod(request: ApiRequest, ref: BoundObjectRef): Pick<BoundObjects, 'pod' | 'node'> {
  const { core, namespace = '', name: account = '' } = request
  const entry = core.store.get('pods', keyOf(namespace, ref.name ?? ''))
  const spec = isObject(entry?.object['spec']) ? entry.object['spec'] : {}
  if (entry !== undefined && (spec['serviceAccountName'] ?? '') !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    )
  }
  const pod = find(request, 'pods', ref)
  const nodeName = spec['nodeName']
  if (!isStated(nodeName)) return { pod, node: undefined }
  const node = core.store.get('nodes', nodeName)
  return { pod, node: { name: nodeName, uid: node?.object.metadata.uid ?? '' } }
}

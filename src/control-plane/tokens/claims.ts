/** What a token of a ServiceAccount says `[k8s pkg/serviceaccount/claims, legacy]`. */
import { isObject } from '../schema/json.ts'
import { ISSUER } from './verdict.ts'

/** Of tokens kept in Secrets. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount'

export interface ObjectRef {
  readonly name: string
  readonly uid: string
}

/** Of a token of limited life. Times are seconds since the epoch. */
export interface BoundClaims {
  readonly kind: 'bound'
  readonly audiences: readonly string[]
  readonly expiresAt: number
  readonly notBefore: number
  readonly id: string | undefined
  readonly namespace: string
  readonly serviceAccount: ObjectRef
  readonly pod: ObjectRef | undefined
  readonly secret: ObjectRef | undefined
  /** Of a token bound to a pod: the node it was assigned to; its UID is empty when there was no such Node. */
  readonly node: ObjectRef | undefined
}

/** Of a token kept in a Secret: valid as long as the Secret holds it. */
export interface SecretClaims {
  readonly kind: 'secret'
  readonly namespace: string
  readonly serviceAccount: ObjectRef
  readonly secretName: string
}

export type Claims = BoundClaims | SecretClaims

/** Seconds that a pod's token outlives its stated life: what 3607 seconds are asked for on behalf of old clients. */
export const EXTENDED_SECONDS = 365 * 86_400
export const EXTENDED_IF_SECONDS = 3607

export function renderBound(claims: BoundClaims, issuedAt: number, warnAfter: number | undefined): object {
  const { audiences, expiresAt, notBefore, id, namespace, serviceAccount, pod, secret, node } = claims
  return {
    aud: audiences,
    exp: expiresAt,
    iat: issuedAt,
    iss: ISSUER,
    jti: id,
    'kubernetes.io': {
      namespace,
      ...(node === undefined ? {} : { node: node.uid === '' ? { name: node.name } : node }),
      ...(pod === undefined ? {} : { pod }),
      ...(secret === undefined ? {} : { secret }),
      serviceaccount: serviceAccount,
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
    nbf: notBefore,
    sub: subject(claims),
  }
}

export function renderSecret(claims: SecretClaims): object {
  const { namespace, serviceAccount, secretName } = claims
  return {
    iss: LEGACY_ISSUER,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secretName,
    'kubernetes.io/serviceaccount/service-account.name': serviceAccount.name,
    'kubernetes.io/serviceaccount/service-account.uid': serviceAccount.uid,
    sub: subject(claims),
  }
}

function subject({ namespace, serviceAccount }: Claims): string {
  return `system:serviceaccount:${namespace}:${serviceAccount.name}`
}

/** Undefined: not claims of ours. The signature is somebody else's business. */
export function readClaims(payload: unknown): Claims | undefined {
  if (!isObject(payload)) return undefined
  const claims = payload['iss'] === ISSUER ? readBound(payload) : readSecret(payload)
  return claims !== undefined && payload['sub'] === subject(claims) ? claims : undefined
}

function readBound(payload: Record<string, unknown>): BoundClaims | undefined {
  const { aud, exp, nbf, jti, 'kubernetes.io': own } = payload
  if (!isObject(own) || typeof exp !== 'number' || typeof own['namespace'] !== 'string') return undefined
  const serviceAccount = readRef(own['serviceaccount'])
  if (serviceAccount === undefined) return undefined
  return {
    kind: 'bound',
    audiences: [aud].flat().filter((audience) => typeof audience === 'string'),
    expiresAt: exp,
    notBefore: typeof nbf === 'number' ? nbf : 0,
    id: typeof jti === 'string' ? jti : undefined,
    namespace: own['namespace'],
    serviceAccount,
    pod: readRef(own['pod']),
    secret: readRef(own['secret']),
    node: readRef(own['node']),
  }
}

function readSecret(payload: Record<string, unknown>): SecretClaims | undefined {
  if (payload['iss'] !== LEGACY_ISSUER) return undefined
  const text = (name: string) => {
    const value = payload[`kubernetes.io/serviceaccount/${name}`]
    return typeof value === 'string' ? value : ''
  }
  return {
    kind: 'secret',
    namespace: text('namespace'),
    serviceAccount: { name: text('service-account.name'), uid: text('service-account.uid') },
    secretName: text('secret.name'),
  }
}

function readRef(value: unknown): ObjectRef | undefined {
  if (!isObject(value) || typeof value['name'] !== 'string') return undefined
  return { name: value['name'], uid: typeof value['uid'] === 'string' ? value['uid'] : '' }
}

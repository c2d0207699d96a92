/** Issues and recognises tokens of ServiceAccounts. The JOSE library is loaded with the first of them. */
import { serviceAccountGroups, serviceAccountUser, type UserInfo } from '../auth/user.ts'
import type { WriteCore } from '../registry/core.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { isObject } from '../schema/json.ts'
import { keyOf } from '../store/entry.ts'
import { type BoundClaims, type Claims, type ObjectRef, readClaims, type SecretClaims } from './claims.ts'
import { createSigningKeys, type SigningKey } from './signing-key.ts'
import { NOT_A_TOKEN, type TokenVerdict } from './verdict.ts'

/** What has been deleted for longer makes tokens invalid `[k8s jwt.DefaultLeeway]`. */
const LEEWAY_MS = 60_000
/** How many tokens' signatures are remembered. */
const REMEMBERED_TOKENS = 1000

const INVALIDATED = refused('service account token has been invalidated')

/** As the real server, which asks several authenticators, joins their errors. */
function refused(why: string): TokenVerdict {
  return { error: `[invalid bearer token, ${why}]` }
}

export class ServiceAccountTokens {
  readonly #core: WriteCore
  /** Tokens whose signature was found good. */
  readonly #known = new Map<string, Claims>()
  readonly signingKey: () => SigningKey

  /** `key`: PEM of the private key; see `createSigningKeys`. */
  constructor(core: WriteCore, key: string | undefined) {
    this.#core = core
    this.signingKey = createSigningKeys(core, key)
  }

  async sign(claims: object): Promise<string> {
    const { CompactSign } = await import('jose')
    const { algorithm, id, privateKey } = this.signingKey()
    const payload = new TextEncoder().encode(JSON.stringify(claims))
    return await new CompactSign(payload).setProtectedHeader({ alg: algorithm, kid: id }).sign(privateKey)
  }

  /** Answers at once for a token that was seen before. */
  verify(token: string, audiences: readonly string[]): TokenVerdict | Promise<TokenVerdict> {
    const claims = this.#known.get(token)
    return claims === undefined ? this.#verifyNew(token, audiences) : this.#judge(token, claims, audiences)
  }

  async #verifyNew(token: string, audiences: readonly string[]): Promise<TokenVerdict> {
    const claims = await this.#readSigned(token)
    if (claims === undefined) return NOT_A_TOKEN
    if (this.#known.size >= REMEMBERED_TOKENS) this.#known.clear()
    this.#known.set(token, claims)
    return this.#judge(token, claims, audiences)
  }

  /** Undefined: not signed by us, or not a token at all. */
  async #readSigned(token: string): Promise<Claims | undefined> {
    const { compactVerify, errors } = await import('jose')
    const { algorithm, publicKey } = this.signingKey()
    try {
      const { payload } = await compactVerify(token, publicKey, { algorithms: [algorithm] })
      return readClaims(JSON.parse(new TextDecoder().decode(payload)))
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof SyntaxError) return undefined
      throw error
    }
  }

  #judge(token: string, claims: Claims, wanted: readonly string[]): TokenVerdict {
    return claims.kind === 'secret' ? this.#judgeSecret(token, claims, wanted) : this.#judgeBound(claims, wanted)
  }

  #judgeBound(claims: BoundClaims, wanted: readonly string[]): TokenVerdict {
    const seconds = this.#core.now() / 1000
    const audiences = wanted.filter((audience) => claims.audiences.includes(audience))
    if (audiences.length === 0) {
      return refused(
        `token audiences ${goList(claims.audiences)} is invalid for the target audiences ${goList(wanted)}`,
      )
    }
    if (seconds > claims.expiresAt + LEEWAY_MS / 1000) return refused('service account token has expired')
    if (seconds < claims.notBefore - LEEWAY_MS / 1000) return refused('service account token is not valid yet')
    const missing = this.#missing(claims)
    return missing ?? { user: userOf(claims), audiences }
  }

  /** What the token depends on must be the objects that it was issued for. */
  #missing({ namespace, serviceAccount, pod, secret, node }: BoundClaims): TokenVerdict | undefined {
    const { name, uid } = serviceAccount
    const account = this.#get('serviceaccounts', keyOf(namespace, name))
    if (account === undefined) return refused(`serviceaccounts "${name}" not found`)
    if (account.metadata.uid !== uid) {
      return refused(`service account UID (${account.metadata.uid}) does not match claim (${uid})`)
    }
    if (this.#isGone(account)) return refused(`service account ${namespace}/${name} has been deleted`)
    const bound: ReadonlyArray<readonly [string, ObjectRef | undefined, string]> = [
      ['secrets', secret, namespace],
      ['pods', pod, namespace],
      ['nodes', pod === undefined ? node : undefined, ''],
    ]
    const valid = bound.every(([resource, ref, home]) => ref === undefined || this.#holds(resource, ref, home))
    return valid ? undefined : INVALIDATED
  }

  #holds(resource: string, { name, uid }: ObjectRef, namespace: string): boolean {
    const object = this.#get(resource, keyOf(namespace, name))
    return object !== undefined && object.metadata.uid === uid && !this.#isGone(object)
  }

  #judgeSecret(token: string, claims: SecretClaims, audiences: readonly string[]): TokenVerdict {
    const { namespace, serviceAccount, secretName } = claims
    const secret = this.#get('secrets', keyOf(namespace, secretName))
    if (secret === undefined || secret.metadata.deletionTimestamp !== undefined) {
      return refused('Token has been invalidated')
    }
    const data = isObject(secret['data']) ? secret['data'] : {}
    if (data['token'] !== Buffer.from(token).toString('base64')) {
      return refused("Token does not match server's copy")
    }
    const { name, uid } = serviceAccount
    const account = this.#get('serviceaccounts', keyOf(namespace, name))
    if (account === undefined) return refused(`serviceaccounts "${name}" not found`)
    if (account.metadata.deletionTimestamp !== undefined) {
      return refused(`ServiceAccount ${namespace}/${name} has been deleted`)
    }
    if (account.metadata.uid !== uid) {
      return refused(`ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`)
    }
    return { user: userOf(claims), audiences }
  }

  #get(resource: string, key: string): StoredObject | undefined {
    return this.#core.store.get(resource, key)?.object
  }

  #isGone({ metadata }: StoredObject): boolean {
    const { deletionTimestamp } = metadata
    return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) < this.#core.now() - LEEWAY_MS
  }
}

function userOf(claims: Claims): UserInfo {
  const { namespace, serviceAccount } = claims
  return {
    name: serviceAccountUser(namespace, serviceAccount.name),
    uid: serviceAccount.uid,
    groups: [...serviceAccountGroups(namespace), 'system:authenticated'],
    ...(claims.kind === 'bound' ? { extra: extraOf(claims) } : {}),
  }
}

function extraOf({ id, pod, node }: BoundClaims): Record<string, readonly string[]> {
  return {
    ...(id === undefined ? {} : { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] }),
    ...refExtra('node', node),
    ...refExtra('pod', pod),
  }
}

function refExtra(kind: string, ref: ObjectRef | undefined): Record<string, readonly string[]> {
  if (ref === undefined) return {}
  const prefix = `authentication.kubernetes.io/${kind}`
  return { [`${prefix}-name`]: [ref.name], ...(ref.uid === '' ? {} : { [`${prefix}-uid`]: [ref.uid] }) }
}

function goList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`
}

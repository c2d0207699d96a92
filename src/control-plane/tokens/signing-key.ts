/** The key that tokens of ServiceAccounts are signed with: given by whoever starts the server, or made and kept by it. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { formatTime, type WriteCore } from '../registry/core.ts'

export interface SigningKey {
  readonly algorithm: 'ES256' | 'RS256'
  /** Names the key in tokens and in the published key set. */
  readonly id: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/** Not served: no API, and no definition that a user may make, reaches a resource of this name. */
const RESOURCE = 'internal/signing-keys'
const KEY = 'service-accounts'

/**
 * Answers the same key each time. `pem` is a PKCS #8 private key, EC P-256 or RSA; without it a key is made when it is
 * first needed, and kept in the store, so that tokens outlive the process that issued them.
 */
export function createSigningKeys(core: WriteCore, pem: string | undefined): () => SigningKey {
  let key: SigningKey | undefined
  return () => (key ??= readKey(pem ?? storedKey(core) ?? newKey(core)))
}

function storedKey({ store }: WriteCore): string | undefined {
  const pem = store.get(RESOURCE, KEY)?.object['pem']
  return typeof pem === 'string' ? pem : undefined
}

function newKey({ store, now }: WriteCore): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const metadata = { name: KEY, uid: randomUUID(), resourceVersion: '', creationTimestamp: formatTime(now()) }
  store.put(RESOURCE, KEY, { apiVersion: 'internal/v1', kind: 'SigningKey', metadata, pem }, undefined)
  return pem
}

/** @throws Error when the key is neither EC P-256 nor RSA */
function readKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem)
  const publicKey = createPublicKey(privateKey)
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const id = createHash('sha256').update(der).digest('base64url')
  return { algorithm: algorithmOf(privateKey), id, privateKey, publicKey }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningKey['algorithm'] {
  if (asymmetricKeyType === 'rsa') return 'RS256'
  if (asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1') return 'ES256'
  throw new Error('the key for tokens of ServiceAccounts must be EC P-256 or RSA')
}

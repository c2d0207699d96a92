/**
 * Secrets of type `kubernetes.io/service-account-token`: each is filled with a token of the ServiceAccount that its
 * annotation names, and removed with it.
 */
import type { Core } from '../registry/core.ts'
import type { StoredObject } from '../registry/resource-definition.ts'
import { isObject } from '../schema/json.ts'
import type { StoreEvent } from '../store/entry.ts'
import { type Entry, keyOf } from '../store/entry.ts'
import { renderSecret } from './claims.ts'
import type { ServiceAccountTokens } from './service-account-tokens.ts'
import { isTokenSecret } from './token-secret.ts'

const ACCOUNT_NAME = 'kubernetes.io/service-account.name'
const ACCOUNT_UID = 'kubernetes.io/service-account.uid'

export class SecretTokens {
  readonly #core: Core
  readonly #tokens: ServiceAccountTokens
  /** Base64. */
  readonly #rootCa: string
  #stopped = false

  /** `rootCa`: PEM of the CA that signed the serving certificate. */
  constructor(core: Core, tokens: ServiceAccountTokens, rootCa: string) {
    this.#core = core
    this.#tokens = tokens
    this.#rootCa = Buffer.from(rootCa).toString('base64')
  }

  /** Fills those that are there, and each one that comes. */
  start(): void {
    const { store } = this.#core
    store.watch('secrets', ({ type, entry }) => {
      if (type !== 'DELETED' && isTokenSecret(entry)) this.#fill(entry)
    })
    store.watch('serviceaccounts', (event) => this.#onAccount(event))
    for (const entry of store.collection('secrets').entries()) if (isTokenSecret(entry)) this.#fill(entry)
  }

  stop(): void {
    this.#stopped = true
  }

  #onAccount({ type, entry }: StoreEvent): void {
    if (type === 'MODIFIED') return
    const [namespace = '', name = ''] = entry.key.split('/')
    const { store } = this.#core
    for (const secret of [...store.collection('secrets').entries(`${namespace}/`)]) {
      if (!isTokenSecret(secret) || accountOf(secret.object) !== name) continue
      if (type === 'ADDED') this.#fill(secret)
      else if (secret.object.metadata.deletionTimestamp === undefined) store.remove('secrets', secret)
    }
  }

  #fill(entry: Entry): void {
    this.#sign(entry).catch((error: unknown) => this.#core.onError(error, `token for Secret ${entry.key}`))
  }

  async #sign(entry: Entry): Promise<void> {
    const { metadata } = entry.object
    const namespace = metadata.namespace ?? ''
    const name = accountOf(entry.object)
    const account = this.#core.store.get('serviceaccounts', keyOf(namespace, name ?? ''))?.object
    if (name === undefined || account === undefined || this.#isFilled(entry.object, account.metadata.uid)) return
    const serviceAccount = { name, uid: account.metadata.uid }
    const token = await this.#tokens.sign(
      renderSecret({ kind: 'secret', namespace, serviceAccount, secretName: metadata.name }),
    )
    const { store } = this.#core
    // Changed meanwhile: its own event brings it back here.
    if (this.#stopped || store.get('secrets', entry.key) !== entry) return
    store.put('secrets', entry.key, this.#filled(entry.copy(), token, serviceAccount.uid), entry)
  }

  #isFilled({ data, metadata }: StoredObject, uid: string): boolean {
    const { token, 'ca.crt': ca } = isObject(data) ? data : {}
    return token !== undefined && ca === this.#rootCa && metadata.annotations?.[ACCOUNT_UID] === uid
  }

  #filled(secret: StoredObject, token: string, uid: string): StoredObject {
    const { metadata, data } = secret
    metadata.annotations = { ...metadata.annotations, [ACCOUNT_UID]: uid }
    return {
      ...secret,
      data: {
        ...(isObject(data) ? data : {}),
        'ca.crt': this.#rootCa,
        namespace: Buffer.from(metadata.namespace ?? '').toString('base64'),
        token: Buffer.from(token).toString('base64'),
      },
    }
  }
}

function accountOf({ metadata }: StoredObject): string | undefined {
  return metadata.annotations?.[ACCOUNT_NAME]
}

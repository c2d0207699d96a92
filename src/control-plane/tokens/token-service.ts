/** Tokens of ServiceAccounts. What makes and checks them is loaded with the first: many servers never see one. */
import type { Core } from '../registry/core.ts'
import type { SecretTokens } from './secret-tokens.ts'
import type { ServiceAccountTokens } from './service-account-tokens.ts'
import { isTokenSecret } from './token-secret.ts'
import type { TokenVerdict } from './verdict.ts'

export interface TokenServiceOptions {
  /** PEM of the private key; default: one that is made and kept in the store. */
  readonly key: string | undefined
  /** PEM of the CA that clients of this server trust. */
  readonly rootCa: string
}

export class TokenService {
  readonly #core: Core
  readonly #options: TokenServiceOptions
  #tokens: ServiceAccountTokens | undefined
  #loading: Promise<ServiceAccountTokens> | undefined
  #secrets: SecretTokens | undefined
  #stopWatch: () => void = () => undefined
  #stopped = false

  constructor(core: Core, options: TokenServiceOptions) {
    this.#core = core
    this.#options = options
  }

  /** Fills Secrets that are there for tokens, from now on. */
  start(): void {
    const { store } = this.#core
    this.#stopWatch = store.watch('secrets', ({ entry }) => {
      if (isTokenSecret(entry)) this.#serveSecrets()
    })
    for (const entry of store.collection('secrets').entries()) {
      if (!isTokenSecret(entry)) continue
      this.#serveSecrets()
      break
    }
  }

  stop(): void {
    this.#stopped = true
    this.#secrets?.stop()
  }

  load(): Promise<ServiceAccountTokens> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  /** Answers at once for a token that was seen before. */
  verify(token: string, audiences: readonly string[]): TokenVerdict | Promise<TokenVerdict> {
    return this.#tokens?.verify(token, audiences) ?? this.load().then((tokens) => tokens.verify(token, audiences))
  }

  async #load(): Promise<ServiceAccountTokens> {
    const { ServiceAccountTokens } = await import('./service-account-tokens.ts')
    this.#tokens = new ServiceAccountTokens(this.#core, this.#options.key)
    return this.#tokens
  }

  #serveSecrets(): void {
    this.#stopWatch()
    this.#startSecrets().catch((error: unknown) => this.#core.onError(error, 'tokens for Secrets'))
  }

  async #startSecrets(): Promise<void> {
    const tokens = await this.load()
    const { SecretTokens } = await import('./secret-tokens.ts')
    if (this.#stopped || this.#secrets !== undefined) return
    this.#secrets = new SecretTokens(this.#core, tokens, this.#options.rootCa)
    this.#secrets.start()
  }
}

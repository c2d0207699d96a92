/**
 * Who may do what. Members of `system:masters` may do everything; for all others roles and bindings are evaluated. What
 * evaluates them is loaded when it is first needed, and only then are the default roles created: a server whose clients
 * are all in `system:masters` never pays for it.
 */
import type { Authorizer, Decision } from '../auth/authorize.ts'
import type { Impersonation } from '../auth/impersonate.ts'
import { MASTERS_GROUP } from '../auth/user.ts'
import type { WriteCore } from '../registry/core.ts'
import type { Evaluator } from './evaluator.ts'

const MASTERS: Decision = { allowed: true, reason: '' }

export class Rbac {
  readonly #core: WriteCore
  #evaluator: Evaluator | undefined
  #loading: Promise<Evaluator> | undefined
  #impersonation: Promise<Impersonation> | undefined

  constructor(core: WriteCore) {
    this.#core = core
  }

  /** @throws StoreError when the default roles cannot be stored; the next call tries again */
  load(): Promise<Evaluator> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  /** @throws Error when it was not loaded and is asked about others than members of `system:masters` */
  readonly authorize: Authorizer = (attributes) =>
    attributes.user.groups.includes(MASTERS_GROUP) ? MASTERS : this.evaluator.decide(attributes)

  /** @throws Error when it was not loaded */
  get evaluator(): Evaluator {
    if (this.#evaluator === undefined) throw new Error('roles and bindings are not loaded')
    return this.#evaluator
  }

  /** Loaded with the first request that wants it. */
  impersonation(): Promise<Impersonation> {
    this.#impersonation ??= import('../auth/impersonate.ts').then((module) => new module.Impersonation(this.authorize))
    return this.#impersonation
  }

  async #load(): Promise<Evaluator> {
    const { Evaluator } = await import('./evaluator.ts')
    try {
      this.#evaluator = new Evaluator(this.#core)
      return this.#evaluator
    } catch (error) {
      this.#loading = undefined
      throw error
    }
  }
}

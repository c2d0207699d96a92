/** Unknown and duplicate fields of one request body, and what `fieldValidation` says to do about them. */
import { badRequest } from '../errors.ts'

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export class FieldFindings {
  readonly mode: FieldValidation
  readonly #messages: string[] = []

  constructor(mode: FieldValidation) {
    this.mode = mode
  }

  get messages(): readonly string[] {
    return this.#messages
  }

  duplicate(path: string): void {
    this.#add(`duplicate field "${path}"`)
  }

  unknown(path: string): void {
    this.#add(`unknown field "${path}"`)
  }

  #add(message: string): void {
    if (this.mode !== 'Ignore' && !this.#messages.includes(message)) this.#messages.push(message)
  }

  /** @throws ApiError 400 in mode Strict when there is a finding; `prefix` is what the real server puts before. */
  refuse(prefix = ''): void {
    if (this.mode !== 'Strict' || this.#messages.length === 0) return
    throw badRequest(`${prefix}strict decoding error: ${this.#messages.join(', ')}`)
  }

  /** Texts of the `Warning` headers. */
  warnings(): readonly string[] {
    return this.mode === 'Warn' ? this.#messages : []
  }
}

/** A selector that cannot be parsed; the request is answered 400 BadRequest with this message. */
export class SelectorError extends Error {
  readonly code = 'BadRequest'

  constructor(message: string) {
    super(message)
    this.name = 'SelectorError'
  }
}

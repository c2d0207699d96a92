/**
 * A patch that cannot be applied. The message is the real server's.
 * - `BadRequest`: the patch itself is malformed (400, or 413 when it has too many operations).
 * - `TestFailed`: a `test` operation of a JSON patch did not hold (422).
 * - `Invalid`: the patch is well-formed but does not fit the document (422; 500 where the real server answers so).
 */
export class PatchError extends Error {
  readonly code: 'Invalid' | 'BadRequest' | 'TestFailed'
  /** HTTP status of the answer. */
  readonly status: number

  constructor(code: PatchError['code'], message: string, status?: number) {
    super(message)
    this.name = 'PatchError'
    this.code = code
    this.status = status ?? (code === 'BadRequest' ? 400 : 422)
  }
}

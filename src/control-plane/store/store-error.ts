/** Failures of the storage file, told apart by `code`. */

export type StoreErrorCode =
  /** Not a database, damaged, or holding something else. */
  | 'Corrupt'
  /** Missing folder, no permission, or a path that is no file. */
  | 'Unreadable'
  /** Another process has the file open. */
  | 'Locked'
  /** Written by a later version of this program. */
  | 'TooNew'
  /** A write did not reach the disk (disk full, I/O error); nothing was changed. */
  | 'WriteFailed'

export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** Reads the operations of a JSON patch and its JSON pointers (RFC 6901). */
import { isObject, type JsonObject } from '../schema/json.ts'
import { PatchError } from './patch-error.ts'

export interface Operation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly from?: string
  readonly value: unknown
}

/** The real server's limit. */
const MAX_OPERATIONS = 10_000

const KINDS: readonly Operation['op'][] = ['add', 'remove', 'replace', 'move', 'copy', 'test']

/** Decoded one by one, so that an early operation's failure is reported before a later one's form. */
export function* decodeOperations(ops: unknown): Generator<Operation> {
  if (!Array.isArray(ops)) throw new PatchError('BadRequest', 'a JSON patch must be an array of operations')
  if (!ops.every(isObject)) throw new PatchError('BadRequest', 'each operation of a JSON patch must be an object')
  if (ops.length > MAX_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${ops.length}`
    throw new PatchError('BadRequest', message, 413)
  }
  for (const operation of ops) yield decodeOperation(operation)
}

function decodeOperation(operation: JsonObject): Operation {
  const op = KINDS.find((kind) => kind === operation['op'])
  if (op === undefined) {
    const shown = typeof operation['op'] === 'string' ? operation['op'] : 'unknown'
    throw new PatchError('Invalid', `Unexpected kind: ${shown}`)
  }
  const value = operation['value'] ?? null
  const path = decodePointer(operation, op, 'path')
  return op === 'move' || op === 'copy'
    ? { op, path, from: decodePointer(operation, op, 'from'), value }
    : { op, path, value }
}

function decodePointer(operation: JsonObject, op: string, name: 'path' | 'from'): string {
  const pointer = operation[name]
  if (typeof pointer === 'string') return pointer
  throw new PatchError('Invalid', `${op} operation failed to decode ${name}: missing value`)
}

/** `/a~1b/0` gives `a/b` and `0`; the root pointer (or text without a slash) gives nothing. */
export function splitPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Values that may be absent. `or` and `orValue` are lazy, so they are no functions. */
import { CelError } from '../cel-error.ts'
import { type CelValue, ListValue, MapValue, NONE, OptionalValue, Uint } from '../cel-value.ts'
import type { FunctionTable } from './overload.ts'

function isZero(value: CelValue): boolean {
  if (value instanceof ListValue) return value.items.length === 0
  if (value instanceof MapValue) return value.entries.size === 0
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  return value === null || value === '' || value === 0n || value === 0 || value === false
}

function unwrap(optional: OptionalValue): CelValue {
  if (optional.value === undefined) throw new CelError('optional.none() dereference')
  return optional.value
}

const end = (value: CelValue | undefined): OptionalValue => (value === undefined ? NONE : new OptionalValue(value))

export const OPTIONALS: FunctionTable = {
  'optional.of(A): optional<A>': (value: CelValue) => new OptionalValue(value),
  'optional.ofNonZeroValue(A): optional<A>': (value: CelValue) => (isZero(value) ? NONE : new OptionalValue(value)),
  'optional.none(): optional<A>': () => NONE,
  'optional<A>.hasValue(): bool': (optional: OptionalValue) => optional.value !== undefined,
  'optional<A>.value(): A': unwrap,
  'list<A>.first(): optional<A>': (list: ListValue) => end(list.items[0]),
  'list<A>.last(): optional<A>': (list: ListValue) => end(list.items.at(-1)),
}

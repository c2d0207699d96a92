/** The generated table of messages, arranged for reading: fields by number, flags as booleans. */
import { generated, splitName } from '../builtin/tables.ts'
import { ProtobufError } from './wire.ts'

export interface Field {
  /** Name in JSON. */
  readonly name: string
  /** A scalar's protobuf name, a message's full name, or of a map the type of its values. */
  readonly type: string
  readonly repeated: boolean
  /** The message's fields stand in the parent. */
  readonly inline: boolean
  /** A zero on the wire is a value: the field is a pointer, or always written. */
  readonly keepsZero: boolean
  readonly map: boolean
}

type FieldRow = readonly [name: string, type: string, flags: number]
type MessageRow = Readonly<Record<string, FieldRow>>

/** The flags that the generator writes, added up. */
const REPEATED = 1
const INLINE = 2
const KEEPS_ZERO = 4
const MAP = 8

const messages = new Map<string, ReadonlyMap<number, Field>>()

/** Throws ProtobufError for a message that is not in the table. */
export function messageFields(name: string): ReadonlyMap<number, Field> {
  const known = messages.get(name)
  if (known !== undefined) return known
  const { file, member } = splitName(name)
  const row = generated<Record<string, MessageRow>>(`protobuf/${file}`)[member]
  if (row === undefined) throw new ProtobufError(`the protobuf message ${name} is not known`)
  const fields = new Map(Object.entries(row).map(([number, field]) => [Number(number), toField(field)]))
  messages.set(name, fields)
  return fields
}

function toField([name, type, flags]: FieldRow): Field {
  return {
    name,
    type,
    repeated: (flags & REPEATED) !== 0,
    inline: (flags & INLINE) !== 0,
    keepsZero: (flags & KEEPS_ZERO) !== 0,
    map: (flags & MAP) !== 0,
  }
}

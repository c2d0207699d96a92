/**
 * Decodes the protobuf bodies that kubectl, helm and client-go send for built-in kinds into what they would have sent as
 * JSON. Frame: `k8s\0`, then runtime.Unknown with apiVersion, kind and the bytes of the kind's own message.
 *
 * Zero values: Go writes every scalar that is not a pointer, so `0`, `""` and `false` mean absent unless the field is a
 * pointer or one that JSON always writes (the table says which).
 */
import { resourceTable } from '../builtin/tables.ts'
import { setOwn } from '../schema/json.ts'
import { type Field, messageFields } from './message-table.ts'
import { specialMessages } from './special-messages.ts'
import { ProtobufError, WIRE_BYTES, WIRE_VARINT, WireReader } from './wire.ts'

export { ProtobufError } from './wire.ts'

export const PROTOBUF_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf'

const MAGIC = Buffer.from('k8s\0')
/** Real objects nest less than 20 messages, a CRD's schema some more. */
const MAX_DEPTH = 100

type Json = Record<string, unknown>

/** A JSON object with apiVersion and kind. Throws ProtobufError for anything that is not such a body, or of an unknown kind. */
export function decodeProtobuf(body: Buffer): Json {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ProtobufError('the body is not Kubernetes protobuf: it does not begin with "k8s" and a zero byte')
  }
  const { apiVersion, kind, raw, contentType } = readUnknown(new WireReader(body, MAGIC.length))
  if (contentType === 'application/json') return embeddedJson(raw, apiVersion, kind)
  const message = decodeMessage(messageOf(apiVersion, kind), new WireReader(raw), 0)
  return { apiVersion, kind, ...message }
}

interface Unknown {
  apiVersion: string
  kind: string
  raw: Buffer
  contentType: string
}

function readUnknown(reader: WireReader): Unknown {
  const found: Unknown = { apiVersion: '', kind: '', raw: Buffer.alloc(0), contentType: '' }
  while (!reader.done) {
    const { field, wire } = reader.tag()
    if (wire !== WIRE_BYTES) reader.skip(wire)
    else if (field === 1) Object.assign(found, readTypeMeta(reader.message()))
    else if (field === 2) found.raw = reader.bytes()
    else if (field === 4) found.contentType = reader.bytes().toString()
    else refuseEncoding(field, reader.bytes())
  }
  return found
}

function readTypeMeta(reader: WireReader): { apiVersion?: string; kind?: string } {
  const found: { apiVersion?: string; kind?: string } = {}
  while (!reader.done) {
    const { field, wire } = reader.tag()
    if (field === 1 && wire === WIRE_BYTES) found.apiVersion = reader.bytes().toString()
    else if (field === 2 && wire === WIRE_BYTES) found.kind = reader.bytes().toString()
    else reader.skip(wire)
  }
  return found
}

function refuseEncoding(field: number, encoding: Buffer): void {
  if (field === 3 && encoding.length > 0) throw new ProtobufError(`the content encoding "${encoding}" is not supported`)
}

function embeddedJson(raw: Buffer, apiVersion: string, kind: string): Json {
  try {
    const value: unknown = JSON.parse(raw.toString())
    if (typeof value === 'object' && value !== null) return { apiVersion, kind, ...value }
  } catch (cause) {
    throw new ProtobufError('the embedded object is not JSON', { cause })
  }
  throw new ProtobufError('the embedded JSON is not an object')
}

function messageOf(apiVersion: string, kind: string): string {
  const { kinds } = resourceTable()
  const key = apiVersion.includes('/') ? `${apiVersion}/${kind}` : `/${apiVersion}/${kind}`
  // Delete options are sent in the version of whatever group is deleted from.
  const name = Object.hasOwn(kinds, key) ? kinds[key] : undefined
  const found = name ?? (kind === 'DeleteOptions' ? kinds['meta.k8s.io/v1/DeleteOptions'] : undefined)
  if (found === undefined) {
    throw new ProtobufError(`no protobuf form is known of kind "${kind}" in version "${apiVersion}"; send JSON`)
  }
  return found
}

function decodeMessage(type: string, reader: WireReader, depth: number): Json {
  const message: Json = {}
  const fields = messageFields(type)
  while (!reader.done) {
    const { field: number, wire } = reader.tag()
    const field = fields.get(number)
    if (field === undefined) reader.skip(wire)
    else readField(message, field, { reader, wire, depth })
  }
  return message
}

interface Place {
  readonly reader: WireReader
  readonly wire: number
  readonly depth: number
}

function readField(message: Json, field: Field, place: Place): void {
  if (field.map) readMapEntry(message, field, place)
  else if (field.repeated) readElement(message, field, place)
  else readSingle(message, field, place)
}

function readSingle(message: Json, field: Field, place: Place): void {
  const value = readValue(field.type, place)
  if (value === undefined || (isZero(value) && !field.keepsZero && isScalar(field.type))) return
  if (field.inline) Object.assign(message, value)
  else message[field.name] = value
}

const isZero = (value: unknown): boolean => value === 0 || value === '' || value === false

const SCALARS: ReadonlySet<string> = new Set(['string', 'bool', 'int32', 'int64', 'bytes', 'double'])
const isScalar = (type: string): boolean => SCALARS.has(type)

function readElement(message: Json, { name, type }: Field, place: Place): void {
  const list = listOf(message, name)
  const isNumber = type === 'int32' || type === 'int64' || type === 'bool'
  if (!isNumber || place.wire !== WIRE_BYTES) {
    list.push(readValue(type, place) ?? null)
    return
  }
  // Numbers may come packed into one field.
  const packed = place.reader.message()
  while (!packed.done) list.push(readValue(type, { ...place, reader: packed, wire: WIRE_VARINT }))
}

function listOf(message: Json, name: string): unknown[] {
  const known = message[name]
  if (Array.isArray(known)) return known
  const list: unknown[] = []
  message[name] = list
  return list
}

/** A map's entry is a message with the key as field 1 and the value as field 2. */
function readMapEntry(message: Json, { name, type }: Field, place: Place): void {
  expectWire(place, WIRE_BYTES)
  const entry = place.reader.message()
  let key = ''
  let value: unknown
  while (!entry.done) {
    const { field, wire } = entry.tag()
    if (field === 1 && wire === WIRE_BYTES) key = entry.bytes().toString()
    else if (field === 2) value = readValue(type, { reader: entry, wire, depth: place.depth })
    else entry.skip(wire)
  }
  message[name] ??= {}
  setOwn(message[name] as Json, key, value ?? emptyValue(type))
}

function emptyValue(type: string): unknown {
  return type === 'string' || type === 'bytes' ? '' : null
}

function readValue(type: string, place: Place): unknown {
  if (type === 'string') return expectWire(place, WIRE_BYTES).bytes().toString()
  if (type === 'bytes') return expectWire(place, WIRE_BYTES).bytes().toString('base64')
  if (type === 'bool') return expectWire(place, WIRE_VARINT).varint() !== 0
  if (type === 'int32') return expectWire(place, WIRE_VARINT).varint() | 0
  if (type === 'int64') return expectWire(place, WIRE_VARINT).varint()
  if (type === 'double') return expectWire(place, 1).double()
  return readMessage(type, place)
}

function expectWire({ reader, wire }: Place, expected: number): WireReader {
  if (wire !== expected) throw new ProtobufError(`a field has wire type ${wire} where ${expected} belongs`)
  return reader
}

function readMessage(type: string, place: Place): unknown {
  if (place.depth >= MAX_DEPTH) throw new ProtobufError(`the message is nested deeper than ${MAX_DEPTH} levels`)
  const inner = expectWire(place, WIRE_BYTES).message()
  const decode = (name: string, reader: WireReader): Json => decodeMessage(name, reader, place.depth + 1)
  const special = specialMessages.get(type)
  return special ? special(inner, decode) : decode(type, inner)
}

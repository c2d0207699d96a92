/** Messages whose JSON form is not an object of their fields: times, quantities, embedded JSON, unions. */
import { ProtobufError, WIRE_BYTES, WIRE_VARINT, type WireReader } from './wire.ts'

/** Decodes one kind of message; undefined: as if it were absent. */
export type SpecialDecoder = (
  reader: WireReader,
  decodeMessage: (type: string, reader: WireReader) => unknown,
) => unknown

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1'

export const specialMessages: ReadonlyMap<string, SpecialDecoder> = new Map<string, SpecialDecoder>([
  [`${META}.Time`, (reader) => time(reader, false)],
  [`${META}.MicroTime`, (reader) => time(reader, true)],
  [`${META}.FieldsV1`, embeddedJson],
  [`${META}.Verbs`, (reader) => repeatedText(reader)],
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', (reader) => singleText(reader) || '0'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', intOrString],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', embeddedJson],
  ['io.k8s.api.authentication.v1.ExtraValue', (reader) => repeatedText(reader)],
  ['io.k8s.api.authorization.v1.ExtraValue', (reader) => repeatedText(reader)],
  ['io.k8s.api.certificates.v1.ExtraValue', (reader) => repeatedText(reader)],
  [`${EXTENSIONS}.JSON`, embeddedJson],
  [`${EXTENSIONS}.JSONSchemaPropsOrArray`, (reader, decode) => schemaOr(reader, decode, 'schemas')],
  [`${EXTENSIONS}.JSONSchemaPropsOrBool`, (reader, decode) => schemaOr(reader, decode, 'boolean')],
  [`${EXTENSIONS}.JSONSchemaPropsOrStringArray`, (reader, decode) => schemaOr(reader, decode, 'texts')],
])

/** The numbers and texts of a flat message, the last of each field. */
function scalars(reader: WireReader): { numbers: Map<number, number>; bytes: Map<number, Buffer> } {
  const numbers = new Map<number, number>()
  const bytes = new Map<number, Buffer>()
  while (!reader.done) {
    const { field, wire } = reader.tag()
    if (wire === WIRE_VARINT) numbers.set(field, reader.varint())
    else if (wire === WIRE_BYTES) bytes.set(field, reader.bytes())
    else reader.skip(wire)
  }
  return { numbers, bytes }
}

const singleText = (reader: WireReader): string => scalars(reader).bytes.get(1)?.toString() ?? ''

function repeatedText(reader: WireReader): string[] {
  const texts: string[] = []
  while (!reader.done) {
    const { field, wire } = reader.tag()
    if (field === 1 && wire === WIRE_BYTES) texts.push(reader.bytes().toString())
    else reader.skip(wire)
  }
  return texts
}

/** Years 1 to 9999. */
const FIRST_SECOND = -62_135_596_800
const LAST_SECOND = 253_402_300_799

/** An empty message is the zero time, which JSON writes as null: absent. */
function time(reader: WireReader, micro: boolean): string | undefined {
  if (reader.isEmpty) return undefined
  const { numbers } = scalars(reader)
  const seconds = numbers.get(1) ?? 0
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) throw new ProtobufError(`a time of ${seconds} s is out of range`)
  if (seconds === FIRST_SECOND) return undefined
  const text = new Date(seconds * 1000).toISOString().slice(0, 19)
  return micro ? `${text}.${String(Math.floor((numbers.get(2) ?? 0) / 1000)).padStart(6, '0')}Z` : `${text}Z`
}

function intOrString(reader: WireReader): number | string {
  const { numbers, bytes } = scalars(reader)
  return numbers.get(1) === 1 ? (bytes.get(3)?.toString() ?? '') : (numbers.get(2) ?? 0)
}

function embeddedJson(reader: WireReader): unknown {
  const raw = scalars(reader).bytes.get(1)
  if (raw === undefined || raw.length === 0) return undefined
  try {
    return JSON.parse(raw.toString())
  } catch (cause) {
    throw new ProtobufError('an embedded object is not JSON', { cause })
  }
}

/** A schema (field 1; of a boolean's union field 2), or else what the other field holds. */
function schemaOr(
  reader: WireReader,
  decode: (type: string, reader: WireReader) => unknown,
  other: 'schemas' | 'boolean' | 'texts',
): unknown {
  const list: unknown[] = []
  let single: unknown
  while (!reader.done) {
    const { field, wire } = reader.tag()
    const value = unionMember(reader, wire, other === 'texts' && field === 2, decode)
    if (field === 2 && other !== 'boolean') list.push(value)
    // A boolean comes first and is followed by the schema, if there is one.
    else single = value ?? single
  }
  return single ?? (other === 'boolean' ? false : list)
}

function unionMember(
  reader: WireReader,
  wire: number,
  isText: boolean,
  decode: (type: string, reader: WireReader) => unknown,
): unknown {
  if (wire === WIRE_VARINT) return reader.varint() !== 0
  if (wire !== WIRE_BYTES) throw new ProtobufError(`a union has a member of wire type ${wire}`)
  return isText ? reader.bytes().toString() : decode(`${EXTENSIONS}.JSONSchemaProps`, reader.message())
}

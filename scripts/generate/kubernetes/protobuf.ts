/** `generated.proto` files + Go tags -> a table of messages: field number -> JSON name, type, flags. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type GoField, readGoFields } from './go-tags.ts'

/** Flags of a field, added up. The reader in src/control-plane/protobuf knows the same numbers. */
const REPEATED = 1
const INLINE = 2
const KEEPS_ZERO = 4
const MAP = 8
/** Go's JSON writes it also when it is zero. Of no interest to the reader: schemas are completed with it. */
const ALWAYS_WRITTEN = 16

/** [JSON name, type, flags]: type is a scalar's protobuf name, or a message's name as OpenAPI writes it; of a map, the type of its values. */
export type FieldRow = readonly [name: string, type: string, flags: number]
export type MessageRow = Readonly<Record<string, FieldRow>>

interface ProtoFile {
  readonly folder: string
  readonly text: string
  /** `k8s.io.api.core.v1` */
  readonly protoPackage: string
  /** `io.k8s.api.core.v1` */
  readonly name: string
}

const SCALARS = new Set(['string', 'bool', 'int32', 'int64', 'bytes', 'double'])
const MESSAGE = /^message (\w+) \{\n([\s\S]*?)^\}/gm
const FIELD = /^ {2}(optional|repeated|required) ([\w.]+) (\w+) = (\d+);/gm
const MAP_FIELD = /^ {2}map<string, ([\w.]+)> (\w+) = (\d+);/gm

export function readMessages(modules: readonly string[]): Map<string, MessageRow> {
  const files = modules.flatMap((module) => findProtoFiles(module))
  const names = new Map(files.map((file) => [file.protoPackage, file.name]))
  const messages = new Map<string, MessageRow>()
  for (const file of files) {
    const go = readGoPackage(file.folder)
    for (const [, message = '', body = ''] of file.text.matchAll(MESSAGE)) {
      messages.set(`${file.name}.${message}`, toMessage({ file, message, body, go, names }))
    }
  }
  return messages
}

function findProtoFiles(module: string): ProtoFile[] {
  const found = readdirSync(module, { recursive: true, encoding: 'utf8' }).filter(
    (file) => path.basename(file) === 'generated.proto',
  )
  return found.sort().map((file) => {
    const text = readFileSync(path.join(module, file), 'utf8').replace(/^\s*\/\/.*\n/gm, '')
    const goPackage = /option go_package = "([^"]+)"/.exec(text)?.[1] ?? ''
    const [domain = '', ...rest] = goPackage.split('/')
    return {
      folder: path.join(module, path.dirname(file)),
      text,
      protoPackage: /^package ([\w.]+);/m.exec(text)?.[1] ?? '',
      name: [...domain.split('.').reverse(), ...rest].join('.'),
    }
  })
}

function readGoPackage(folder: string): Map<string, GoField> {
  const fields = new Map<string, GoField>()
  for (const file of readdirSync(folder).sort()) {
    if (/^[a-z_]+\.go$/.test(file) && !/^zz_|_test\.go$|generated\.pb/.test(file))
      readGoFields(path.join(folder, file), fields)
  }
  return fields
}

interface MessageSource {
  readonly file: ProtoFile
  readonly message: string
  readonly body: string
  readonly go: ReadonlyMap<string, GoField>
  readonly names: ReadonlyMap<string, string>
}

function toMessage(source: MessageSource): MessageRow {
  const row: Record<string, FieldRow> = {}
  for (const [, label, type = '', name = '', number = ''] of source.body.matchAll(FIELD)) {
    row[number] = toFieldRow(source, { name, type, number, flags: label === 'repeated' ? REPEATED : 0 })
  }
  for (const [, type = '', name = '', number = ''] of source.body.matchAll(MAP_FIELD)) {
    row[number] = toFieldRow(source, { name, type, number, flags: MAP })
  }
  return row
}

function toFieldRow(
  source: MessageSource,
  field: { name: string; type: string; number: string; flags: number },
): FieldRow {
  const go = source.go.get(`${source.message}#${field.number}`)
  const inline = go !== undefined && go.jsonName === '' && !SCALARS.has(field.type)
  const flags =
    field.flags +
    (inline ? INLINE : 0) +
    (keepsZero(field, go) ? KEEPS_ZERO : 0) +
    (isAlwaysWritten(field, go) ? ALWAYS_WRITTEN : 0)
  return [go?.jsonName || field.name, qualify(source, field.type), flags]
}

/**
 * Every scalar that is no pointer is on the wire, zero or not. A pointer's zero is a value; so is a number or boolean
 * that Go's JSON always writes. An empty string that is no pointer means absent, required or not.
 */
function keepsZero({ type, flags }: { type: string; flags: number }, go: GoField | undefined): boolean {
  if (!SCALARS.has(type) || flags !== 0 || go === undefined) return false
  return go.pointer || (!go.omitEmpty && type !== 'string' && type !== 'bytes')
}

function isAlwaysWritten({ type, flags }: { type: string; flags: number }, go: GoField | undefined): boolean {
  return SCALARS.has(type) && type !== 'bytes' && flags === 0 && go !== undefined && !go.pointer && !go.omitEmpty
}

/** JSON names of the message's fields that Go always writes, those of inlined messages included. */
export function alwaysWritten(messages: ReadonlyMap<string, MessageRow>, name: string): string[] {
  return Object.values(messages.get(name) ?? {}).flatMap(([field, type, flags]) => {
    if ((flags & INLINE) !== 0) return alwaysWritten(messages, type)
    return (flags & ALWAYS_WRITTEN) === 0 ? [] : [field]
  })
}

function qualify({ file, names }: MessageSource, type: string): string {
  if (SCALARS.has(type)) return type
  if (!type.startsWith('.')) return `${file.name}.${type}`
  const at = type.lastIndexOf('.')
  const name = names.get(type.slice(1, at))
  if (name === undefined) throw new Error(`no go_package known for ${type}`)
  return `${name}${type.slice(at)}`
}

/** The messages that the given ones need, themselves included. */
export function reachable(
  messages: ReadonlyMap<string, MessageRow>,
  roots: readonly string[],
): Map<string, MessageRow> {
  const found = new Map<string, MessageRow>()
  const pending = [...roots]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const message = messages.get(name)
    if (message === undefined) throw new Error(`no protobuf message ${name}`)
    if (found.has(name)) continue
    found.set(name, message)
    pending.push(
      ...Object.values(message)
        .map(([, type]) => type)
        .filter((type) => !SCALARS.has(type)),
    )
  }
  return found
}

/** Struct tags of the Go types: JSON name, inlining, and what tells whether a zero value is a value. Keyed by struct and protobuf field number. */
import { readFileSync } from 'node:fs'

export interface GoField {
  /** Empty for an embedded struct whose fields appear in its parent. */
  readonly jsonName: string
  readonly pointer: boolean
  readonly omitEmpty: boolean
}

const STRUCT = /^type (\w+) struct \{\n([\s\S]*?)^\}/gm
const FIELD = /^\s+(?:(\w+)\s+)?(\*?[\w.[\]*{}]+)\s+`([^`]*)`/gm

/** `Struct#number` -> field, for all structs of one file. */
export function readGoFields(file: string, into: Map<string, GoField>): void {
  for (const [, struct, body] of readFileSync(file, 'utf8').matchAll(STRUCT)) {
    for (const [, , type, tags] of (body ?? '').matchAll(FIELD)) {
      const number = /protobuf:"\w+,(\d+)/.exec(tags ?? '')?.[1]
      if (number !== undefined) into.set(`${struct}#${number}`, toField(type ?? '', tags ?? ''))
    }
  }
}

function toField(type: string, tags: string): GoField {
  const [jsonName = '', ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',')
  return { jsonName, pointer: type.startsWith('*'), omitEmpty: options.includes('omitempty') }
}

/**
 * Reads YAML as kubectl does, which is neither YAML 1.1 nor 1.2: `yes`/`on` are booleans and `0644` is octal (1.1), while dates,
 * `12:30` and a lone `y` or `n` stay text.
 */
import { parseAllDocuments, type Tags } from 'yaml'

const DROPPED_TAGS = new Set(['binary', 'omap', 'pairs', 'set', 'timestamp'].map((name) => `tag:yaml.org,2002:${name}`))
const BOOLEAN_TAG = 'tag:yaml.org,2002:bool'
const TRUE = /^(?:[Yy]es|YES|[Tt]rue|TRUE|[Oo]n|ON)$/
const FALSE = /^(?:[Nn]o|NO|[Ff]alse|FALSE|[Oo]ff|OFF)$/

function kubectlTags(tags: Tags): Tags {
  return tags
    .filter((tag) => typeof tag === 'string' || !(DROPPED_TAGS.has(tag.tag) || tag.format === 'TIME'))
    .map((tag) => {
      if (typeof tag === 'string' || tag.tag !== BOOLEAN_TAG || tag.test === undefined) return tag
      return { ...tag, test: tag.test.test('true') ? TRUE : FALSE }
    })
}

export type YamlDocument =
  | { readonly valid: true; readonly value: unknown }
  | { readonly valid: false; readonly reason: string }

/** All documents in order, empty ones included. */
export function readYaml(text: string): readonly YamlDocument[] {
  const parsed = parseAllDocuments(text, {
    schema: 'yaml-1.1',
    merge: true,
    customTags: kubectlTags,
    logLevel: 'error',
  })
  // Without any document the parser answers an empty stream, which is iterable too.
  return [...parsed].map((document) => {
    const [error] = document.errors
    if (error !== undefined) return { valid: false, reason: firstLine(error.message) }
    return evaluated(() => document.toJS({ maxAliasCount: 100 }))
  })
}

/** Aliases are resolved when the value is made: unknown ones, and bombs made of them, show up here. */
function evaluated(make: () => unknown): YamlDocument {
  try {
    return { valid: true, value: make() }
  } catch (error) {
    return { valid: false, reason: error instanceof Error ? firstLine(error.message) : String(error) }
  }
}

/** The lines after the first quote the document, which may hold a Secret. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0]?.replace(/:$/, '') ?? ''
}

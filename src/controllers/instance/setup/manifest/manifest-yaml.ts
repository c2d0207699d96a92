/**
 * Reads YAML as kubectl does, which is neither YAML 1.1 nor 1.2: `yes`/`on` are booleans and `0644` is octal (1.1), while dates,
 * `12:30` and a lone `y` or `n` stay text.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Composer, type Document, LineCounter, Parser, type Tags } from 'yaml'

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

/** A MiB takes most of a second: other work gets its turn each time so much text is read, which is some 40 ms. */
const TURN_CHARACTERS = 64 * 1024

/** All documents in order, empty ones included. */
export async function* readYaml(text: string): AsyncGenerator<YamlDocument, void, undefined> {
  const lines = new LineCounter()
  const tokens = new Parser(lines.addNewLine).parse(text)
  const composer = new Composer({ schema: 'yaml-1.1', merge: true, customTags: kubectlTags, logLevel: 'error' })
  let turnEnds = TURN_CHARACTERS
  for (const document of composer.compose(tokens)) {
    yield evaluated(document, lines)
    const end = document.range[2]
    if (end < turnEnds) continue
    turnEnds = end + TURN_CHARACTERS
    await nextTurn()
  }
}

function evaluated(document: Document.Parsed, lines: LineCounter): YamlDocument {
  const [error] = document.errors
  if (error !== undefined) {
    return { valid: false, reason: `line ${lines.linePos(error.pos[0]).line}: ${firstLine(error.message)}` }
  }
  try {
    return { valid: true, value: document.toJS({ maxAliasCount: 100 }) }
  } catch (failure) {
    // Aliases are resolved here: unknown ones, and bombs made of them, show up.
    return { valid: false, reason: failure instanceof Error ? firstLine(failure.message) : String(failure) }
  }
}

/** Further lines quote the document, which may hold a Secret. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}

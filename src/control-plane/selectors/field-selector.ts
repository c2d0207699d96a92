/**
 * Field selectors: `metadata.name=a,spec.nodeName!=b`. In values `\,`, `\=` and `\\` stand for the character itself.
 * Which paths a kind supports is the caller's business. [doc: Field Selectors]
 */
import { SelectorError } from './selector-error.ts'

export interface FieldRequirement {
  /** Dotted path such as `spec.nodeName`. */
  readonly path: string
  /** False for `!=`. */
  readonly equals: boolean
  readonly value: string
}

/** Throws `SelectorError`. All requirements must hold; terms that name nothing (such as `=`) are skipped. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return splitTerms(text)
    .sort()
    .filter((term) => term !== '')
    .map((term) => parseTerm(term, text))
    .filter(({ path, value }) => path !== '' || value !== '')
}

function splitTerms(text: string): string[] {
  const terms: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === ',') {
      terms.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...terms, text.slice(start)]
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /!=|==?/.exec(term)
  if (match === null) throw new SelectorError(`invalid selector: '${selector}'; can't understand '${term}'`)
  const [operator] = match
  return {
    path: term.slice(0, match.index),
    equals: operator !== '!=',
    value: unescapeValue(term.slice(match.index + operator.length)),
  }
}

function unescapeValue(text: string): string {
  return text.replace(/\\(.?)|[,=]/gsu, (found, escaped: string | undefined) => {
    if (escaped === undefined) {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${found.codePointAt(0)}`)
    }
    if (escaped !== '\\' && escaped !== ',' && escaped !== '=') {
      throw new SelectorError(`invalid field selector: invalid escape sequence: ${found}`)
    }
    return escaped
  })
}

/** A value as it must be written in a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, (char) => `\\${char}`)
}

/** The field at a dotted path, as selectors see it: scalars as text, everything else (also an absent field) as ''. */
export function fieldValue(object: unknown, path: string): string {
  let value: unknown = object
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return ''
    value = (value as Record<string, unknown>)[name]
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** Whether an object meets every requirement. */
export function fieldSelectorMatches(requirements: readonly FieldRequirement[], object: unknown): boolean {
  return requirements.every(({ path, equals, value }) => (fieldValue(object, path) === value) === equals)
}

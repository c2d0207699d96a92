/** Rules for names, label keys and label values, worded as the real server words them `[k8s apimachinery validation]`. */
import { randomInt } from 'node:crypto'
import type { NameRule } from './kind-traits.ts'

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/

const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const QUALIFIED_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const LABEL_VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

const MAX_SUBDOMAIN = 253

function checkPattern(value: string, pattern: RegExp, rule: string, maxLength: number): string[] {
  const broken: string[] = []
  const unit = maxLength === MAX_SUBDOMAIN ? 'characters' : 'bytes'
  if (value.length > maxLength) broken.push(`must be no more than ${maxLength} ${unit}`)
  // Length first: the patterns are linear, but there is no sense in running them over a huge text.
  else if (!pattern.test(value)) broken.push(rule)
  return broken
}

function checkPathSegment(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`]
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`)
}

/** Sentences saying what is wrong with a name; empty when nothing is. */
export function checkName(rule: NameRule, name: string): string[] {
  switch (rule) {
    case 'path':
      return checkPathSegment(name)
    case 'label':
      return name.includes('.') ? ['must not contain dots'] : checkPattern(name, LABEL, LABEL_RULE, 63)
    case 'subdomain':
      return checkPattern(name, SUBDOMAIN, SUBDOMAIN_RULE, MAX_SUBDOMAIN)
  }
}

/** Like `checkName` for a name that a suffix will follow: it may end in a dash. */
export function checkGenerateName(rule: NameRule, prefix: string): string[] {
  return checkName(rule, prefix.endsWith('-') ? `${prefix.slice(0, -1)}a` : prefix)
}

/** A label key, annotation key or finalizer: `name` or `prefix/name`. */
export function checkQualifiedName(value: string): string[] {
  const parts = value.split('/')
  if (parts.length > 2) {
    return [
      `a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character, with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const name = parts.at(-1) ?? ''
  const broken = parts.length === 2 ? checkPrefix(parts[0] ?? '') : []
  if (name === '') return [...broken, 'name part must be non-empty']
  if (name.length > 63) return [...broken, 'name part must be no more than 63 bytes']
  return QUALIFIED.test(name) ? broken : [...broken, QUALIFIED_RULE]
}

function checkPrefix(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  return checkPattern(prefix, SUBDOMAIN, SUBDOMAIN_RULE, 253).map((text) => `prefix part ${text}`)
}

export function checkLabelValue(value: string): string[] {
  return checkPattern(value, LABEL_VALUE, LABEL_VALUE_RULE, 63)
}

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX_LENGTH = 5
const MAX_BASE = 63 - SUFFIX_LENGTH

/** `generateName` plus five random letters without vowels, at most 63 long. */
export function generateName(prefix: string): string {
  const letters = Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)])
  return prefix.slice(0, MAX_BASE) + letters.join('')
}

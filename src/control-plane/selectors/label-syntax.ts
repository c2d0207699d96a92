/** Syntax of label keys and values, with the real server's wording of what is wrong. Empty answers mean "valid". */

const NAME_FORMAT = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const SUBDOMAIN_FORMAT = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'

const EMPTY = 'must be non-empty'
const NAME_PROBLEM =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  `character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME_FORMAT}')`
const QUALIFIED_PROBLEM =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  `alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${NAME_FORMAT}') ` +
  "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
const PREFIX_PROBLEM =
  "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
  "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  `'${SUBDOMAIN_FORMAT}')`
const VALUE_PROBLEM =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  `'(${NAME_FORMAT})?')`

/** What is wrong with a label key: `name` or `prefix/name`. */
export function labelKeyProblems(key: string): string[] {
  const parts = key.split('/')
  if (parts.length > 2) return [QUALIFIED_PROBLEM]
  const name = parts.at(-1) ?? ''
  const prefix = parts.length === 2 ? parts[0] : undefined
  return [...(prefix === undefined ? [] : prefixProblems(prefix)), ...nameProblems(name)]
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return [`prefix part ${EMPTY}`]
  const problems = prefix.length > 253 ? ['prefix part must be no more than 253 bytes'] : []
  return isSubdomain(prefix) ? problems : [...problems, PREFIX_PROBLEM]
}

function nameProblems(name: string): string[] {
  if (name === '') return [`name part ${EMPTY}`, NAME_PROBLEM]
  const problems = name.length > 63 ? ['name part must be no more than 63 bytes'] : []
  return isLabelText(name) ? problems : [...problems, NAME_PROBLEM]
}

/** What is wrong with a label value. */
export function labelValueProblems(value: string): string[] {
  const problems = value.length > 63 ? ['must be no more than 63 bytes'] : []
  return value === '' || isLabelText(value) ? problems : [...problems, VALUE_PROBLEM]
}

function isLabelText(text: string): boolean {
  return /^[A-Za-z0-9]$|^[A-Za-z0-9][-A-Za-z0-9_.]*[A-Za-z0-9]$/.test(text)
}

function isSubdomain(text: string): boolean {
  return text.split('.').every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part))
}

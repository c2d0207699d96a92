/** Group and names of a CRD. */
import { childPath, indexPath, invalidError, requiredError } from '../schema/field-error.ts'
import type { JsonObject } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { textAt, textsAt } from './crd-spec.ts'

const LABEL_PROBLEM =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
  "end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
  "'[a-z]([-a-z0-9]*[a-z0-9])?')"
const SUBDOMAIN_PROBLEM =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

/** What keeps a text from being a DNS label (RFC 1035). */
export function labelProblems(text: string): string[] {
  const problems = text.length > 63 ? ['must be no more than 63 characters'] : []
  return /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text) ? problems : [...problems, LABEL_PROBLEM]
}

export function subdomainProblems(text: string): string[] {
  const problems = text.length > 253 ? ['must be no more than 253 characters'] : []
  const isSubdomain = text.split('.').every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part))
  return isSubdomain ? problems : [...problems, SUBDOMAIN_PROBLEM]
}

export function checkGroup(group: string): FieldError[] {
  if (group === '') return [requiredError('spec.group')]
  const problems = subdomainProblems(group)
  if (problems.length > 0) return [invalidError('spec.group', group, problems.join(','))]
  return group.includes('.') ? [] : [invalidError('spec.group', group, 'should be a domain with at least one dot')]
}

export function checkRequiredNames(names: JsonObject): FieldError[] {
  return ['plural', 'singular', 'kind', 'listKind']
    .filter((name) => textAt(names, name) === '')
    .map((name) => requiredError(`spec.names.${name}`))
}

/** The syntax of the names that are there. */
export function checkNames(names: JsonObject, path: string): FieldError[] {
  const [kind, listKind] = [textAt(names, 'kind'), textAt(names, 'listKind')]
  return [
    ...['plural', 'singular'].flatMap((name) => checkLabel(textAt(names, name), childPath(path, name))),
    ...['kind', 'listKind'].flatMap((name) => checkKind(textAt(names, name), childPath(path, name))),
    ...checkList(names, 'shortNames', path),
    ...(kind !== '' && kind === listKind
      ? [invalidError(childPath(path, 'listKind'), listKind, 'kind and listKind may not be the same')]
      : []),
    ...checkList(names, 'categories', path),
  ]
}

function checkLabel(text: string, field: string): FieldError[] {
  const problems = text === '' ? [] : labelProblems(text)
  return problems.length === 0 ? [] : [invalidError(field, text, problems.join(','))]
}

function checkKind(text: string, field: string): FieldError[] {
  const problems = text === '' ? [] : labelProblems(text.toLowerCase())
  const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`
  return problems.length === 0 ? [] : [invalidError(field, text, detail)]
}

function checkList(names: JsonObject, field: string, path: string): FieldError[] {
  return textsAt(names, field).flatMap((text, index) => {
    const problems = labelProblems(text)
    return problems.length === 0
      ? []
      : [invalidError(indexPath(childPath(path, field), index), text, problems.join(','))]
  })
}

/** Checks that several kinds share; each answers findings worded as the real server words them. */
import {
  duplicateError,
  forbiddenError,
  invalidError,
  notSupportedError,
  requiredError,
} from '../../schema/field-error.ts'
import { equalJson } from '../../schema/json.ts'
import type { FieldError } from '../../schema/schema.ts'
import { labelKeyProblems, labelValueProblems } from '../../selectors/label-syntax.ts'
import { labelSelectorMatches, type ObjectLabelSelector } from '../../selectors/match-label-selector.ts'
import { at, fieldsAt, isFields, listAt, textAt } from '../fields.ts'

export const IMMUTABLE = 'field is immutable'

/** One of a few words; absent is fine. */
export function oneOf(object: unknown, path: string, supported: readonly string[], prefix = ''): FieldError[] {
  const value = at(object, path)
  if (value === undefined || supported.includes(value as string)) return []
  return [notSupportedError(prefix + path, value, supported)]
}

export function notNegative(object: unknown, paths: readonly string[], prefix = ''): FieldError[] {
  return paths.flatMap((path) => {
    const value = at(object, path)
    const isNegative = typeof value === 'number' && value < 0
    return isNegative ? [invalidError(prefix + path, value, 'must be greater than or equal to 0')] : []
  })
}

/** The values at these paths may not change. */
export function unchanged(object: unknown, old: unknown, paths: readonly string[], detail = IMMUTABLE): FieldError[] {
  return paths
    .filter((path) => !equalJson(at(object, path), at(old, path)))
    .map((path) => invalidError(path, at(object, path) ?? null, detail))
}

export function portNumber(value: unknown, field: string): FieldError[] {
  if (typeof value === 'number' && value >= 1 && value <= 65_535) return []
  return [invalidError(field, value ?? 0, 'must be between 1 and 65535, inclusive')]
}

const PERCENT = /^\d{1,9}%$/
const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')"

/** A count or a percentage of at least zero; with `capped` a percentage of at most 100. */
export function intOrPercent(value: unknown, field: string, capped: boolean): FieldError[] {
  if (typeof value === 'number')
    return value < 0 ? [invalidError(field, value, 'must be greater than or equal to 0')] : []
  if (typeof value !== 'string') return []
  if (!PERCENT.test(value)) return [invalidError(field, value, PERCENT_RULE)]
  return capped && Number.parseInt(value, 10) > 100 ? [invalidError(field, value, 'must not be greater than 100%')] : []
}

/** Zero, whether a count or a percentage. */
export const isNothing = (value: unknown): boolean => value === 0 || value === '0%'

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const DNS_LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

export function dnsLabel(value: string, field: string): FieldError[] {
  if (value.length > 63) return [invalidError(field, value, 'must be no more than 63 bytes')]
  return DNS_LABEL.test(value) ? [] : [invalidError(field, value, DNS_LABEL_RULE)]
}

/** Keys of ConfigMaps and Secrets. */
const DATA_KEY = /^[-._a-zA-Z0-9]+$/
const DATA_KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

export function dataKey(key: string, field: string): FieldError[] {
  if (key.length > 253) return [invalidError(field, key, 'must be no more than 253 characters')]
  if (!DATA_KEY.test(key)) return [invalidError(field, key, DATA_KEY_RULE)]
  if (key === '.' || key === '..') return [invalidError(field, key, `must not be '${key}'`)]
  return key.startsWith('..') ? [invalidError(field, key, "must not start with '..'")] : []
}

export function labels(value: unknown, field: string): FieldError[] {
  if (!isFields(value)) return []
  return Object.entries(value).flatMap(([key, text]) => [
    ...labelKeyProblems(key).map((problem) => invalidError(field, key, problem)),
    ...labelValueProblems(String(text)).map((problem) => invalidError(field, text, problem)),
  ])
}

export function labelSelector(selector: unknown, field: string): FieldError[] {
  return [
    ...labels(at(selector, 'matchLabels'), `${field}.matchLabels`),
    ...listAt(selector, 'matchExpressions').flatMap((expression, index) =>
      selectorExpression(expression, `${field}.matchExpressions[${index}]`),
    ),
  ]
}

function selectorExpression(expression: unknown, field: string): FieldError[] {
  const operator = textAt(expression, 'operator')
  const values = listAt(expression, 'values')
  const errors: FieldError[] = []
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(requiredError(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(
        forbiddenError(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      )
    }
  } else errors.push(invalidError(`${field}.operator`, operator, 'not a valid selector operator'))
  const key = textAt(expression, 'key')
  return [...errors, ...labelKeyProblems(key).map((problem) => invalidError(`${field}.key`, key, problem))]
}

export function isEmptySelector(selector: unknown): boolean {
  return (
    Object.keys(fieldsAt(selector, 'matchLabels')).length === 0 && listAt(selector, 'matchExpressions').length === 0
  )
}

export function selectorMatches(selector: unknown, podLabels: unknown): boolean {
  const wanted = isFields(selector) ? (selector as ObjectLabelSelector) : undefined
  return labelSelectorMatches(wanted, isFields(podLabels) ? (podLabels as Record<string, string>) : undefined)
}

/** Names that occur a second time. */
export function uniqueNames(items: readonly unknown[], field: string): FieldError[] {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const name = textAt(item, 'name')
    if (name !== '' && seen.has(name)) return [duplicateError(`${field}[${index}].name`, name)]
    seen.add(name)
    return []
  })
}

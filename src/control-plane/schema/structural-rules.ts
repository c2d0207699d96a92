/** The form of `x-kubernetes-validations` entries. Whether a rule compiles, and what it costs, is checked with CEL. */
import { childPath, indexPath, invalidError, notSupportedError, requiredError } from './field-error.ts'
import { own } from './json.ts'
import type { FieldError } from './schema.ts'
import { childNodes, isSet, type SchemaNode, textOf } from './schema-node.ts'
import { findFieldPath } from './schema-path.ts'

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired']

export function checkRules(node: SchemaNode, path: string): FieldError[] {
  return childNodes(node, 'x-kubernetes-validations').flatMap((rule, index) => {
    const field = indexPath(childPath(path, 'x-kubernetes-validations'), index)
    return [...checkText(rule, field), ...checkReason(rule, field), ...checkFieldPath(node, rule, field)]
  })
}

/** The first finding about the rule and its message, then any about the message's expression. */
function checkText(rule: SchemaNode, field: string): FieldError[] {
  const text = textOf(rule, 'rule').trim()
  const message = textOf(rule, 'message')
  const expression = textOf(rule, 'messageExpression')
  const found = firstTextProblem(text, message, field)
  const blank = expression !== '' && expression.trim() === ''
  return [
    ...(found === undefined ? [] : [found]),
    ...(blank
      ? [requiredError(childPath(field, 'messageExpression'), 'messageExpression must be non-empty if specified')]
      : []),
  ]
}

function firstTextProblem(rule: string, message: string, field: string): FieldError | undefined {
  const messageField = childPath(field, 'message')
  if (rule === '') return requiredError(childPath(field, 'rule'), 'rule is not specified')
  if (message !== '' && message.trim() === '') {
    return invalidError(messageField, message, 'must be non-empty if specified')
  }
  if (hasLineBreak(message.trim())) return invalidError(messageField, message, 'must not contain line breaks')
  if (hasLineBreak(rule) && message === '') {
    return requiredError(messageField, 'message must be specified if rule contains line breaks')
  }
  return undefined
}

function checkReason(rule: SchemaNode, field: string): FieldError[] {
  const reason = own(rule, 'reason')
  if (reason === undefined || reason === null || REASONS.includes(String(reason))) return []
  return [notSupportedError(childPath(field, 'reason'), reason, REASONS)]
}

function checkFieldPath(node: SchemaNode, rule: SchemaNode, field: string): FieldError[] {
  const path = textOf(rule, 'fieldPath')
  if (!isSet(path)) return []
  const at = childPath(field, 'fieldPath')
  const errors: FieldError[] = []
  if (path.trim() === '') errors.push(invalidError(at, path, 'must be non-empty if specified'))
  if (hasLineBreak(path)) errors.push(invalidError(at, path, 'must not contain line breaks'))
  if (findFieldPath(node, path).problem !== undefined) errors.push(invalidError(at, path, 'must be a valid path'))
  return errors
}

function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text)
}

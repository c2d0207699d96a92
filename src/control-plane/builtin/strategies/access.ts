/** Roles and bindings [k8s rbac/v1]. */

import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { invalidError, notSupportedError, requiredError } from '../../schema/field-error.ts'
import { equalJson } from '../../schema/json.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, ensureFields, fieldsAt, isFields, listAt, setDefault, textAt } from '../fields.ts'
import { labelSelector } from './checks.ts'

const GROUP = 'rbac.authorization.k8s.io'

export const roleStrategy: Strategy = {
  validate: (role) => listAt(role, 'rules').flatMap((rule, index) => validateRule(rule, `rules[${index}]`, true)),
}

export const clusterRoleStrategy: Strategy = {
  validate: (role) => [
    ...listAt(role, 'rules').flatMap((rule, index) => validateRule(rule, `rules[${index}]`, false)),
    ...validateAggregation(at(role, 'aggregationRule')),
  ],
}

function validateRule(rule: unknown, field: string, namespaced: boolean): FieldError[] {
  const [urls, resources] = [listAt(rule, 'nonResourceURLs'), listAt(rule, 'resources')]
  const groups = listAt(rule, 'apiGroups')
  const verbs =
    Array.isArray(at(rule, 'verbs')) && listAt(rule, 'verbs').length === 0
      ? [requiredError(`${field}.verbs`, 'verbs must contain at least one value')]
      : []
  if (urls.length > 0) return [...verbs, ...validateUrls(urls, groups.length + resources.length > 0, field, namespaced)]
  return [
    ...verbs,
    ...(groups.length === 0
      ? [requiredError(`${field}.apiGroups`, 'resource rules must supply at least one api group')]
      : []),
    ...(resources.length === 0
      ? [requiredError(`${field}.resources`, 'resource rules must supply at least one resource')]
      : []),
  ]
}

function validateUrls(urls: unknown[], mixed: boolean, field: string, namespaced: boolean): FieldError[] {
  const details = [
    namespaced && 'namespaced rules cannot apply to non-resource URLs',
    mixed && 'rules cannot apply to both regular resources and non-resource URLs',
  ].filter((detail) => detail !== false)
  return details.map((detail) => invalidError(`${field}.nonResourceURLs`, urls, detail))
}

function validateAggregation(rule: unknown): FieldError[] {
  if (!isFields(rule)) return []
  const selectors = listAt(rule, 'clusterRoleSelectors')
  const field = 'aggregationRule.clusterRoleSelectors'
  if (selectors.length === 0) {
    return [requiredError(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  }
  return selectors.flatMap((selector, index) => labelSelector(selector, `${field}[${index}]`))
}

export const roleBindingStrategy = bindingStrategy(['Role', 'ClusterRole'], true)
export const clusterRoleBindingStrategy = bindingStrategy(['ClusterRole'], false)

function bindingStrategy(kinds: readonly string[], namespaced: boolean): Strategy {
  return {
    defaults(binding) {
      const role = ensureFields(binding, 'roleRef')
      if (textAt(role, 'apiGroup') === '') role['apiGroup'] = GROUP
      for (const subject of listAt(binding, 'subjects').filter(isFields)) {
        if (subject['kind'] === 'User' || subject['kind'] === 'Group') setDefault(subject, 'apiGroup', GROUP)
      }
    },
    validate: (binding) => [
      ...oneOfTexts(textAt(binding, 'roleRef.apiGroup'), [GROUP], 'roleRef.apiGroup'),
      ...oneOfTexts(textAt(binding, 'roleRef.kind'), kinds, 'roleRef.kind'),
      ...listAt(binding, 'subjects').flatMap((subject, index) =>
        validateSubject(subject, `subjects[${index}]`, namespaced),
      ),
    ],
    validateUpdate: validateRoleRefUpdate,
  }
}

function oneOfTexts(value: string, supported: readonly string[], field: string): FieldError[] {
  return value === '' || supported.includes(value) ? [] : [notSupportedError(field, value, supported)]
}

function validateSubject(subject: unknown, field: string, namespaced: boolean): FieldError[] {
  const kind = textAt(subject, 'kind')
  const group = textAt(subject, 'apiGroup')
  if (kind === 'ServiceAccount') {
    return [
      ...(group === '' ? [] : [notSupportedError(`${field}.apiGroup`, group, [''])]),
      ...(textAt(subject, 'namespace') === '' && !namespaced ? [requiredError(`${field}.namespace`)] : []),
    ]
  }
  if (kind === 'User' || kind === 'Group') return oneOfTexts(group, [GROUP], `${field}.apiGroup`)
  return [notSupportedError(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group'])]
}

function validateRoleRefUpdate(binding: StoredObject, old: StoredObject): FieldError[] {
  if (equalJson(binding['roleRef'], old['roleRef'])) return []
  // The real server prints its internal form.
  const ref = fieldsAt(binding, 'roleRef')
  const shown = { APIGroup: ref['apiGroup'], Kind: ref['kind'], Name: ref['name'] }
  return [invalidError('roleRef', shown, 'cannot change roleRef')]
}

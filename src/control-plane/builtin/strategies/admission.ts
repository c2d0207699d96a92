/** Webhook configurations and admission policies [k8s admissionregistration/v1]. */
import type { Strategy } from '../../registry/resource-definition.ts'
import { at, ensureFields, type Fields, isFields, listAt, setDefault } from '../fields.ts'
import { oneOf } from './checks.ts'

export const mutatingWebhookStrategy = webhookStrategy((webhook) => setDefault(webhook, 'reinvocationPolicy', 'Never'))
export const validatingWebhookStrategy = webhookStrategy(() => undefined)

function webhookStrategy(more: (webhook: Fields) => void): Strategy {
  return {
    defaults(configuration) {
      for (const webhook of listAt(configuration, 'webhooks').filter(isFields)) {
        defaultWebhook(webhook)
        more(webhook)
      }
    },
    validate: (configuration) =>
      listAt(configuration, 'webhooks').flatMap((webhook, index) => [
        ...oneOf(webhook, 'failurePolicy', ['Fail', 'Ignore'], `webhooks[${index}].`),
        ...oneOf(webhook, 'matchPolicy', ['Equivalent', 'Exact'], `webhooks[${index}].`),
        ...oneOf(webhook, 'sideEffects', ['None', 'NoneOnDryRun'], `webhooks[${index}].`),
      ]),
  }
}

function defaultWebhook(webhook: Fields): void {
  setDefault(webhook, 'failurePolicy', 'Fail')
  setDefault(webhook, 'matchPolicy', 'Equivalent')
  setDefault(webhook, 'namespaceSelector', {})
  setDefault(webhook, 'objectSelector', {})
  setDefault(webhook, 'timeoutSeconds', 10)
  defaultRules(listAt(webhook, 'rules'))
  const service = at(webhook, 'clientConfig.service')
  if (isFields(service)) setDefault(service, 'port', 443)
}

function defaultRules(rules: readonly unknown[]): void {
  for (const rule of rules.filter(isFields)) setDefault(rule, 'scope', '*')
}

export const admissionPolicyStrategy: Strategy = {
  defaults(policy) {
    const spec = ensureFields(policy, 'spec')
    setDefault(spec, 'failurePolicy', 'Fail')
    if (isFields(spec['matchConstraints'])) defaultMatch(spec['matchConstraints'])
  },
}

export const admissionBindingStrategy: Strategy = {
  defaults(binding) {
    const match = at(binding, 'spec.matchResources')
    if (isFields(match)) defaultMatch(match)
  },
}

function defaultMatch(match: Fields): void {
  setDefault(match, 'matchPolicy', 'Equivalent')
  setDefault(match, 'namespaceSelector', {})
  setDefault(match, 'objectSelector', {})
  defaultRules(listAt(match, 'resourceRules'))
  defaultRules(listAt(match, 'excludeResourceRules'))
}

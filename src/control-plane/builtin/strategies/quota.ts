/** ResourceQuotas: amounts, and which scopes may limit what [k8s core/v1 ResourceQuota]. */
import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { invalidError } from '../../schema/field-error.ts'
import { equalJson } from '../../schema/json.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, fieldsAt, listAt } from '../fields.ts'
import { quantityInBillionths } from '../quantity.ts'

const PODS = ['pods']
const PODS_AND_COMPUTE = [
  ...PODS,
  'cpu',
  'memory',
  'limits.cpu',
  'limits.memory',
  'requests.cpu',
  'requests.memory',
] as const

/** What a scope may be combined with; a scope that is not here is free. */
const LIMITED_BY: Readonly<Record<string, readonly string[]>> = {
  BestEffort: PODS,
  NotBestEffort: PODS_AND_COMPUTE,
  Terminating: PODS_AND_COMPUTE,
  NotTerminating: PODS_AND_COMPUTE,
}

const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

export const resourceQuotaStrategy: Strategy = {
  validate: (quota) => [...validateHard(quota), ...validateScopes(quota)],
  validateUpdate: (quota, old) =>
    equalJson(sorted(quota), sorted(old))
      ? []
      : [invalidError('spec.scopes', listAt(quota, 'spec.scopes'), 'field is immutable')],
}

function sorted(quota: StoredObject): string[] {
  return listAt(quota, 'spec.scopes').map(String).sort()
}

function validateHard(quota: StoredObject): FieldError[] {
  return Object.entries(fieldsAt(quota, 'spec.hard')).flatMap(([name, amount]) =>
    (quantityInBillionths(String(amount)) ?? 0n) < 0n
      ? [invalidError(`spec.hard[${name}]`, String(amount), 'must be greater than or equal to 0')]
      : [],
  )
}

function validateScopes(quota: StoredObject): FieldError[] {
  if (at(quota, 'spec.scopes') === undefined) return []
  const scopes = listAt(quota, 'spec.scopes').map(String)
  const hard = Object.keys(fieldsAt(quota, 'spec.hard'))
  const misplaced = scopes.flatMap((scope) => hard.filter((name) => LIMITED_BY[scope]?.includes(name) === false))
  const isContradicting = OPPOSITES.some((pair) => pair.every((scope) => scopes.includes(scope)))
  return [
    ...misplaced.map(() => invalidError('spec.scopes', scopes, 'unsupported scope applied to resource')),
    ...(isContradicting ? [invalidError('spec.scopes', scopes, 'conflicting scopes')] : []),
  ]
}

/** Namespaces, ConfigMaps, Secrets and nodes [k8s core/v1]. */

import type { StoredObject, Strategy } from '../../registry/resource-definition.ts'
import { forbiddenError, invalidError, requiredError, tooLongError } from '../../schema/field-error.ts'
import { equalJson } from '../../schema/json.ts'
import type { FieldError } from '../../schema/schema.ts'
import { at, ensureFields, type Fields, fieldsAt, isFields, listAt, setDefault, textAt } from '../fields.ts'
import { dataKey, labels, oneOf, unchanged } from './checks.ts'

export const namespaceStrategy: Strategy = {
  prepareForCreate(namespace) {
    namespace['spec'] = { finalizers: ['kubernetes'] }
    namespace['status'] = { phase: 'Active' }
  },
  defaults({ metadata }) {
    // Network policies select namespaces by this label.
    metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name }
  },
}

/** One mebibyte. */
const MAX_DATA_BYTES = 1_048_576
const WHEN_IMMUTABLE = 'field is immutable when `immutable` is set'

export const configMapStrategy: Strategy = {
  validate(configMap) {
    const data = fieldsAt(configMap, 'data')
    const binary = fieldsAt(configMap, 'binaryData')
    const bytes = textBytes(data) + decodedBytes(binary)
    return [
      ...Object.keys(data).flatMap((key) => [
        ...dataKey(key, `data[${key}]`),
        ...(Object.hasOwn(binary, key)
          ? [invalidError(`data[${key}]`, key, 'duplicate of key present in binaryData')]
          : []),
      ]),
      ...Object.keys(binary).flatMap((key) => dataKey(key, `binaryData[${key}]`)),
      ...validateBase64(binary, 'binaryData'),
      ...(bytes > MAX_DATA_BYTES ? [tooLongError('', MAX_DATA_BYTES)] : []),
    ]
  },
  validateUpdate: (configMap, old) => validateImmutable(configMap, old, ['data', 'binaryData']),
}

function validateImmutable(object: StoredObject, old: StoredObject, fields: readonly string[]): FieldError[] {
  if (old['immutable'] !== true) return []
  return [
    ...(object['immutable'] === true ? [] : [forbiddenError('immutable', WHEN_IMMUTABLE)]),
    ...fields
      .filter((field) => !equalJson(object[field] ?? {}, old[field] ?? {}))
      .map((field) => forbiddenError(field, WHEN_IMMUTABLE)),
  ]
}

const textBytes = (data: Fields): number =>
  Object.values(data).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value)), 0)

const decodedBytes = (data: Fields): number =>
  Object.values(data).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value), 'base64'), 0)

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

function validateBase64(data: Fields, field: string): FieldError[] {
  return Object.keys(data)
    .filter((key) => !BASE64.test(String(data[key]).replace(/[\r\n]/g, '')))
    .map((key) => invalidError(`${field}[${key}]`, '<contents redacted>', 'must be base64'))
}

export const secretStrategy: Strategy = {
  defaults(secret) {
    setDefault(secret, 'type', 'Opaque')
    const texts = secret['stringData']
    if (!isFields(texts)) return
    const data = ensureFields(secret, 'data')
    for (const [key, text] of Object.entries(texts)) data[key] = Buffer.from(String(text)).toString('base64')
    delete secret['stringData']
  },
  validate(secret) {
    const data = fieldsAt(secret, 'data')
    return [
      ...Object.keys(data).flatMap((key) => dataKey(key, `data[${key}]`)),
      ...validateBase64(data, 'data'),
      ...(decodedBytes(data) > MAX_DATA_BYTES ? [tooLongError('data', MAX_DATA_BYTES)] : []),
      ...validateSecretType(secret, data),
    ]
  },
  validateUpdate: (secret, old) => [...unchanged(secret, old, ['type']), ...validateImmutable(secret, old, ['data'])],
}

/** Keys that a type requires, all of them. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
}
const SERVICE_ACCOUNT_NAME = 'kubernetes.io/service-account.name'

function validateSecretType(secret: StoredObject, data: Fields): FieldError[] {
  const type = textAt(secret, 'type')
  const required = Object.hasOwn(REQUIRED_KEYS, type) ? (REQUIRED_KEYS[type] ?? []) : []
  const missing = required.filter((key) => !Object.hasOwn(data, key)).map((key) => requiredError(`data[${key}]`))
  if (type === 'kubernetes.io/basic-auth' && !('username' in data) && !('password' in data)) {
    return [requiredError('data[username]'), requiredError('data[password]')]
  }
  const account = secret.metadata.annotations?.[SERVICE_ACCOUNT_NAME] ?? ''
  if (type === 'kubernetes.io/service-account-token' && account === '') {
    return [requiredError(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`)]
  }
  return missing.length > 0 ? missing : validateDockerJson(data, required)
}

function validateDockerJson(data: Fields, keys: readonly string[]): FieldError[] {
  return keys
    .filter((key) => key.startsWith('.docker'))
    .filter((key) => !isJsonObject(Buffer.from(String(data[key]), 'base64').toString()))
    .map((key) => invalidError(`data[${key}]`, '<secret contents redacted>', 'must be a JSON object'))
}

function isJsonObject(text: string): boolean {
  try {
    return isFields(JSON.parse(text))
  } catch {
    return false
  }
}

/** The one range and the first of several are the same field in the server's own form. */
function defaultPodRanges(node: StoredObject): void {
  const spec = ensureFields(node, 'spec')
  const [first] = listAt(spec, 'podCIDRs')
  const one = textAt(spec, 'podCIDR')
  if (one !== '' && first === undefined) spec['podCIDRs'] = [one]
  if (one === '' && first !== undefined) spec['podCIDR'] = first
}

export const nodeStrategy: Strategy = {
  defaults(node) {
    const status = ensureFields(node, 'status')
    const capacity = status['capacity']
    if (isFields(capacity)) setDefault(status, 'allocatable', { ...capacity })
    defaultPodRanges(node)
  },
  validate: (node) =>
    listAt(node, 'spec.taints').flatMap((taint, index) => validateTaint(taint, `metadata.taints[${index}]`)),
  validateUpdate(node, old) {
    const fixed = ['podCIDR', 'providerID'].filter(
      (name) => textAt(old, `spec.${name}`) !== '' && at(old, `spec.${name}`) !== at(node, `spec.${name}`),
    )
    return fixed.map((name) =>
      forbiddenError(
        name === 'podCIDR' ? 'spec.podCIDRs' : `spec.${name}`,
        `node updates may not change ${name} except from "" to valid`,
      ),
    )
  },
}

function validateTaint(taint: unknown, field: string): FieldError[] {
  const key = textAt(taint, 'key')
  return [
    ...labels({ [key]: textAt(taint, 'value') }, `${field}.key`),
    ...oneOf(taint, 'effect', ['NoSchedule', 'PreferNoSchedule', 'NoExecute'], `${field}.`),
  ]
}

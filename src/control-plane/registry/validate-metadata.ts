/** Findings about `metadata`, in the order the real server reports them. */
import { forbiddenError, invalidError, requiredError } from '../schema/field-error.ts'
import { equalJson } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { nameRuleOf } from './kind-traits.ts'
import { checkGenerateName, checkLabelValue, checkName, checkQualifiedName } from './names.ts'
import type { ResourceDefinition, StoredMeta } from './resource-definition.ts'

const ANNOTATIONS_BYTES = 256 * 1024

export function validateMetadata(definition: ResourceDefinition, meta: StoredMeta): FieldError[] {
  return [
    ...checkNames(definition, meta),
    ...checkLabels(meta.labels ?? {}),
    ...checkAnnotations(meta.annotations ?? {}),
    ...checkOwners(meta.ownerReferences ?? []),
    ...checkFinalizers(definition, meta.finalizers ?? []),
  ]
}

function checkNames(definition: ResourceDefinition, meta: StoredMeta): FieldError[] {
  const rule = nameRuleOf(definition)
  const errors: FieldError[] = []
  if (meta.generateName !== undefined) {
    for (const text of checkGenerateName(rule, meta.generateName)) {
      errors.push(invalidError('metadata.generateName', meta.generateName, text))
    }
  }
  if (meta.name === '') return [...errors, requiredError('metadata.name', 'name or generateName is required')]
  for (const text of checkName(rule, meta.name)) errors.push(invalidError('metadata.name', meta.name, text))
  return errors
}

function checkLabels(labels: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...checkQualifiedName(key).map((text) => invalidError('metadata.labels', key, text)),
    ...checkLabelValue(value).map((text) => invalidError('metadata.labels', value, text)),
  ])
}

function checkAnnotations(annotations: Readonly<Record<string, string>>): FieldError[] {
  const errors: FieldError[] = []
  let size = 0
  for (const [key, value] of Object.entries(annotations)) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value)
    for (const text of checkQualifiedName(key.toLowerCase())) {
      errors.push(invalidError('metadata.annotations', key, text))
    }
  }
  if (size > ANNOTATIONS_BYTES) {
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'metadata.annotations',
      message: `Too long: may not be more than ${ANNOTATIONS_BYTES} bytes`,
    })
  }
  return errors
}

function checkOwners(owners: NonNullable<StoredMeta['ownerReferences']>): FieldError[] {
  const errors: FieldError[] = []
  for (const owner of owners) {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (owner[field] !== '') continue
      const path = `metadata.ownerReferences.${field}`
      errors.push(
        field === 'apiVersion'
          ? invalidError(path, '', 'version must not be empty')
          : invalidError(path, '', 'must not be empty'),
      )
    }
  }
  const controllers = owners.filter((owner) => owner.controller === true)
  if (controllers.length > 1) {
    const [first, second] = controllers
    const found = `${first?.kind}/${first?.name} and ${second?.kind}/${second?.name}`
    const rule = `Only one reference can have Controller set to true. Found "true" in references for ${found}`
    const message = `Invalid value: ${JSON.stringify(owners)}: ${rule}`
    errors.push({ reason: 'FieldValueInvalid', field: 'metadata.ownerReferences', message })
  }
  return errors
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion'])

function checkFinalizers(definition: ResourceDefinition, finalizers: readonly string[]): FieldError[] {
  // Kinds of the API machinery itself take any name.
  const strict = definition.origin === 'builtin' && definition.group !== 'apiextensions.k8s.io'
  return finalizers.flatMap((finalizer, index) => {
    const broken = checkQualifiedName(finalizer).map((text) => invalidError('metadata.finalizers', finalizer, text))
    if (broken.length > 0 || !strict || finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) return broken
    const rule = 'name is neither a standard finalizer name nor is it fully qualified'
    return [invalidError(`metadata.finalizers[${index}]`, finalizer, rule)]
  })
}

/** What an update may not do to `metadata`. */
export function validateMetadataUpdate(meta: StoredMeta, old: StoredMeta): FieldError[] {
  const errors: FieldError[] = []
  if (old.deletionTimestamp !== undefined) {
    const had = new Set(old.finalizers ?? [])
    const added = (meta.finalizers ?? []).filter((finalizer) => !had.has(finalizer))
    if (added.length > 0) {
      const list = added.map((name) => JSON.stringify(name)).join(', ')
      errors.push(
        forbiddenError(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`,
        ),
      )
    }
  }
  if (!equalJson(meta.deletionTimestamp, old.deletionTimestamp)) {
    errors.push(invalidError('metadata.deletionTimestamp', meta.deletionTimestamp, 'field is immutable'))
  }
  return errors
}

/** Groups of the Kubernetes project need an annotation that says who approved the API. */
import { invalidError, requiredError } from '../schema/field-error.ts'
import { isObject } from '../schema/json.ts'
import type { FieldError } from '../schema/schema.ts'
import { objectAt, specOf, textAt } from './crd-spec.ts'

const ANNOTATION = 'api-approved.kubernetes.io'
const FIELD = `metadata.annotations[${ANNOTATION}]`
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111'

type Approval = 'missing' | 'approved' | 'bypassed' | 'invalid'

/** An approval that has not changed is never refused. */
export function checkApproval(crd: unknown, old: unknown): FieldError[] {
  const group = textAt(specOf(crd), 'group')
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return []
  const annotation = annotationOf(crd)
  const approval = approvalOf(annotation)
  if (old !== undefined && approvalOf(annotationOf(old)) === approval) return []
  const need = `protected groups must have approval annotation "${ANNOTATION}"`
  if (approval === 'missing') return [requiredError(FIELD, `${need}, ${SEE}`)]
  if (approval !== 'invalid') return []
  return [invalidError(FIELD, annotation, `${need} with either a URL or a reason starting with "unapproved", ${SEE}`)]
}

function annotationOf(crd: unknown): string {
  return isObject(crd) ? textAt(objectAt(objectAt(crd, 'metadata'), 'annotations'), ANNOTATION) : ''
}

function approvalOf(annotation: string): Approval {
  if (annotation === '') return 'missing'
  if (annotation.startsWith('unapproved')) return 'bypassed'
  return URL.canParse(annotation) && new URL(annotation).host !== '' ? 'approved' : 'invalid'
}

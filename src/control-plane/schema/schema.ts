/** The schema of a kind: OpenAPI v3 as Kubernetes writes it. CRD schemas never hold `$ref`; generated built-in ones do. */

export interface Schema {
  $ref?: string
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  format?: string
  title?: string
  description?: string
  default?: unknown
  example?: unknown
  nullable?: boolean
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  items?: Schema
  enum?: unknown[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: boolean
  exclusiveMaximum?: boolean
  multipleOf?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  maxProperties?: number
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: Schema
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-embedded-resource'?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-map-type'?: 'atomic' | 'granular'
  'x-kubernetes-patch-strategy'?: string
  'x-kubernetes-patch-merge-key'?: string
  'x-kubernetes-validations'?: ValidationRule[]
  'x-kubernetes-group-version-kind'?: Array<{ group: string; version: string; kind: string }>
}

/** A CEL rule (`x-kubernetes-validations`). */
export interface ValidationRule {
  rule: string
  message?: string
  messageExpression?: string
  reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  fieldPath?: string
  optionalOldSelf?: boolean
}

/** Follows a `$ref`; throws for an unknown one. */
export type ResolveRef = (ref: string) => Schema

/** One finding about one field, as a cause of an `Invalid` Status. */
export interface FieldError {
  /** The cause's `reason`, such as `FieldValueRequired`. */
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotFound'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
  /** Path as the real server writes it: `spec.containers[0].name`. */
  readonly field: string
  /** The whole sentence of the cause, such as `Invalid value: "x": must be ...`. */
  readonly message: string
}

/** What every kind of ours is made of: the whole schema, and the TypeScript type that follows from it. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { optional, text } from './field.ts'
import type { KubeObject, ObjectMeta } from './resource.ts'

const API_VERSION =
  'Version of the schema of this object. Servers convert known schemas to the latest and may refuse unknown ones.'
const KIND = 'What this object is, in CamelCase. Cannot be changed.'

/** The schema of a whole object. The API server itself knows `metadata`. */
export const kindSchema = <S extends TSchema>(description: string, spec: S, status?: TSchema) =>
  Type.Object(
    {
      apiVersion: optional(text(API_VERSION)),
      kind: optional(text(KIND)),
      metadata: Type.Unsafe<ObjectMeta>({ type: 'object', description: 'Name, labels and the like.' }),
      spec,
      ...(status === undefined ? {} : { status: optional(status) }),
    },
    { description },
  )

/** An object as an API server serves it: defaults are filled, `status` may be missing. */
export interface ObjectWithStatus<Spec extends TSchema, Status extends TSchema> extends KubeObject {
  spec: Static<Spec>
  status?: Static<Status>
}

export interface ObjectWithoutStatus<Spec extends TSchema> extends KubeObject {
  spec: Static<Spec>
}

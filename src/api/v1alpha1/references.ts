/** How one object of this group points at another. */
import type { Static } from '@sinclair/typebox'
import { name, object, optional } from '../field.ts'

/** A reference whose UID may not be known yet. */
export const objectRef = (description: string) =>
  object(description, {
    name: name('Name of the object.'),
    uid: optional(name('UID of the object: one of the same name with another UID is somebody else.')),
  })

/** A reference to exactly one object. */
export const exactRef = (description: string) =>
  object(description, { name: name('Name of the object.'), uid: name('UID of the object.') })

export type ObjectReference = Static<ReturnType<typeof objectRef>>
export type ExactReference = Static<ReturnType<typeof exactRef>>

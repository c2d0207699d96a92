/** A condition of an object on the wire. */
import { Type } from '@sinclair/typebox'

const text = (description: string) => Type.String({ description })

export const ConditionView = Type.Object(
  {
    type: text('Aspect.'),
    status: text('True, False or Unknown.'),
    reason: text('Stable code.'),
    message: text('A sentence.'),
    lastTransitionTime: text('When the status last changed.'),
  },
  { description: 'One aspect of the state of the object.', additionalProperties: true },
)

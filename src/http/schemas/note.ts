/** A note of a planner on the wire. */
import { type Static, Type } from '@sinclair/typebox'

const text = (description: string) => Type.String({ description })

export const NoteView = Type.Object(
  {
    reason: text('Stable code.'),
    message: text('A sentence with the numbers in it.'),
    level: Type.Unsafe<'Info' | 'Warning' | 'Debug'>({
      type: 'string',
      enum: ['Info', 'Warning', 'Debug'],
      description: '`Warning`: something a person should look at. `Debug`: detail.',
    }),
    about: Type.Optional(text('Name of the member it is about; absent: the pool itself.')),
  },
  { description: 'One decision, or one decision not to act, and why.' },
)
export type NoteView = Static<typeof NoteView>

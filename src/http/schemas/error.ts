/** The one shape of an error under /v1. */
import { Type } from '@sinclair/typebox'
import { API_ERRORS } from '../errors.ts'

export const ErrorView = Type.Object(
  {
    error: Type.String({ description: 'What happened, in a sentence.' }),
    detail: Type.Optional(Type.String({ description: 'Why, and what to do.' })),
    reason: Type.Unsafe<string>({ type: 'string', enum: Object.keys(API_ERRORS), description: 'Stable code.' }),
    field: Type.Optional(Type.String({ description: 'The part of the request at fault.' })),
  },
  { $id: 'Error', description: 'An error.' },
)

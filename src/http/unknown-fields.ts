/**
 * Fields of a request body that no schema knows. Clients of other versions send some, so they are ignored; a slip of the pen must
 * not go unseen, so the answer names them in a `Warning` header, and with `?fieldValidation=Strict` they are refused.
 */
import { Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from './errors.ts'

/** The query of the routes that take a body. */
export const FieldValidation = Type.Object({
  fieldValidation: Type.Optional(
    Type.Unsafe<'Ignore' | 'Warn' | 'Strict'>({
      type: 'string',
      enum: ['Ignore', 'Warn', 'Strict'],
      description:
        'What becomes of unknown fields of the body: nothing, a `Warning` header that names them, or a refusal. Default `Warn`.',
    }),
  ),
})

const MOST_NAMED = 5

export function installUnknownFields(app: FastifyInstance): void {
  app.addHook('preHandler', async (request, reply) => {
    const [first, ...others] = unknownFields(request)
    if (first === undefined) return
    const { fieldValidation = 'Warn' } = request.query as { fieldValidation?: string }
    if (fieldValidation === 'Strict') {
      const detail = `${first} is not a field of this request; GET /openapi.json lists them`
      throw new ApiError('invalid_request', { detail, field: first })
    }
    if (fieldValidation === 'Warn') {
      const warnings = [first, ...others].slice(0, MOST_NAMED).map((name) => `299 - "unknown field: ${name}"`)
      reply.header('warning', warnings.join(', '))
    }
  })
}

function unknownFields({ body, routeOptions }: FastifyRequest): string[] {
  const { properties } = (routeOptions.schema?.body ?? {}) as { properties?: object }
  if (properties === undefined || typeof body !== 'object' || body === null) return []
  return Object.keys(body)
    .filter((name) => !Object.hasOwn(properties, name))
    .map(printable)
}

/** It ends up in a header. */
const printable = (name: string): string => name.slice(0, 64).replace(/[^\w.-]/g, '?')

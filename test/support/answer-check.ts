/**
 * Whether an answer of the HTTP API is one that the OpenAPI document describes: its status, the reason of an error, and every
 * field of its body.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { ROOT } from './run.ts'

export interface SeenAnswer {
  readonly method: string
  /** As it was asked for, query included. */
  readonly url: string
  readonly status: number
  readonly contentType: string
  /** As it was sent. */
  readonly text: string
}

interface ResponseObject {
  readonly description: string
  readonly content?: Readonly<Record<string, object>>
}
interface Operation {
  readonly responses: Readonly<Record<string, ResponseObject>>
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Answered before a route is found, or whatever the route. */
const ANYWHERE = new Set(['bad_request', 'route_not_found', 'headers_too_large'])

let committed: AnswerCheck | undefined

/** By the committed document, which a test keeps equal to the routes. Answers what does not fit; undefined: nothing. */
export const checkAnswer: AnswerCheck = (answer) => committedCheck()(answer)

/** Reads the document, once: who measures does it before. */
export function committedCheck(): AnswerCheck {
  committed ??= createAnswerCheck(JSON.parse(readFileSync(join(ROOT, 'deploy', 'openapi.json'), 'utf8')))
  return committed
}

/** Answers what does not fit; undefined: all is as described. */
export type AnswerCheck = (answer: SeenAnswer) => string | undefined

export function createAnswerCheck(document: OpenApiDocument): AnswerCheck {
  // The document is no JSON schema itself: to compare it with the schema of schemas takes long and says nothing.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false })
  ajv.addSchema({ ...document }, 'openapi')
  const validators = new Map<string, ValidateFunction>()
  const templates = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
  }))
  const validatorOf = (pointer: string): ValidateFunction => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
    validators.set(pointer, known)
    return known
  }
  return ({ method, url, status, contentType, text }) => {
    const isJson = contentType.includes('json')
    const body: unknown = isJson && text !== '' ? JSON.parse(text) : undefined
    const reason = status >= 400 ? (body as { reason?: string } | undefined)?.reason : undefined
    if (reason !== undefined && ANYWHERE.has(reason)) return undefined
    const asked = `${method} ${url} answered ${status}`
    const path = (url.split('?')[0] ?? '').replace(/\/{2,}/g, '/')
    const template = templates.find(({ pattern }) => pattern.test(path))?.path
    const operation = template === undefined ? undefined : document.paths[template]?.[method.toLowerCase()]
    if (template === undefined || operation === undefined) return `${asked}: no such operation is described`
    const described = operation.responses[String(status)]
    if (described === undefined) return `${asked} ${reason ?? ''}: that status is not described`
    if (reason !== undefined && !described.description.includes(`\`${reason}\``)) {
      return `${asked}: the reason ${reason} is not described`
    }
    const type = contentType.split(';')[0] ?? ''
    if (described.content === undefined) return text === '' ? undefined : `${asked}: described without a body`
    if (described.content[type] === undefined) return `${asked}: the type ${type} is not described`
    if (!isJson) return undefined
    const steps = ['paths', template, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
    const validate = validatorOf(steps.map((step) => `/${encodeURIComponent(step.replaceAll('/', '~1'))}`).join(''))
    return validate(body) ? undefined : `${asked}: ${ajv.errorsText(validate.errors)}`
  }
}

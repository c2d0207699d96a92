/** Refusals of bodies that are no object at all, worded as the real server words them `[k8s transformDecodeError]`. */
import { type ApiError, badRequest } from '../errors.ts'

const EXCERPT_BYTES = 30

/** `kind`: what the body should have been. */
export function unrecognised(kind: string, why: string, body: Buffer, cause?: unknown): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${excerpt(body)})`, cause)
}

/** JSON is quoted, anything else shown in hexadecimal. */
function excerpt(body: Buffer): string {
  if (body.length === 0) return '<empty>'
  const encoding = body[0] === 0x7b ? 'utf8' : 'hex'
  const text = body.subarray(0, EXCERPT_BYTES).toString(encoding)
  return body.length > EXCERPT_BYTES ? `${text} ...` : text
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

export function notAnObject(value: unknown): string {
  const found = Array.isArray(value) ? 'array' : value === true || value === false ? 'bool' : typeof value
  return `couldn't get version/kind; json parse error: json: cannot unmarshal ${found} into Go value of type ${TYPE_META}`
}

/** What is wrong with a text that is not JSON. */
export function jsonProblem(text: string, error: unknown): string {
  if (isTruncated(text)) return 'unexpected end of JSON input'
  return error instanceof Error ? error.message : String(error)
}

/** The text ends inside a string, an object or an array, or holds nothing. */
function isTruncated(text: string): boolean {
  // Whole strings are taken out first: brackets in them mean nothing.
  const rest = text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '')
  const depth = [...rest].reduce((sum, char) => sum + step(char), 0)
  return rest.includes('"') || depth > 0 || text.trim() === ''
}

function step(char: string): number {
  if (char === '{' || char === '[') return 1
  return char === '}' || char === ']' ? -1 : 0
}

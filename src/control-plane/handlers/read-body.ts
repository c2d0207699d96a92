/** Reads and decodes request bodies: JSON, YAML, protobuf. */
import type { IncomingMessage } from 'node:http'
import { ApiError, badRequest, tooLarge, unsupportedMediaType } from '../errors.ts'
import type { FieldFindings } from '../registry/field-findings.ts'
import { isDeeperThan, isObject, MAX_DEPTH } from '../schema/json.ts'
import { findDuplicateFields } from './duplicate-fields.ts'
import { jsonProblem, notAnObject, unrecognised } from './unrecognised.ts'

/** What the real server takes `[k8s MaxRequestBodyBytes]`. */
export const BODY_LIMIT_BYTES = 3 * 1024 * 1024
/** A body somewhat too large is read to its end: who is still sending would not see the answer. */
const DRAIN_LIMIT_BYTES = 4 * BODY_LIMIT_BYTES

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf']

/** @throws ApiError 413, 400 (the client went away) */
export function readBody(http: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    http.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= BODY_LIMIT_BYTES) chunks.push(chunk)
      else if (size > DRAIN_LIMIT_BYTES) reject(tooLarge(BODY_LIMIT_BYTES))
    })
    http.on('end', () => {
      if (size > BODY_LIMIT_BYTES) reject(tooLarge(BODY_LIMIT_BYTES))
      else resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks))
    })
    // Follows every request: after a whole one there is nothing to say, and an error costs a stack trace.
    http.on('close', () => {
      if (!http.readableEnded) reject(badRequest('the connection was closed before the body was complete'))
    })
    http.on('error', reject)
  })
}

/** `Content-Type` without its parameters, in lower case. */
export function contentTypeOf(http: IncomingMessage): string {
  return (http.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/**
 * The body as plain data.
 * @param kind of the object that it must be; absent: anything will do
 * @throws ApiError 400, 413, 415
 */
export async function readObject(http: IncomingMessage, findings?: FieldFindings, kind = ''): Promise<unknown> {
  const contentType = contentTypeOf(http)
  const body = await readBody(http)
  if (kind === '') return await parseBody(contentType, body, findings)
  const value = await parseBody(contentType, body, findings).catch((error: unknown) => {
    throw error instanceof SyntaxProblem ? unrecognised(kind, error.why, body, error) : error
  })
  if (!isObject(value)) throw unrecognised(kind, notAnObject(value), body)
  return value
}

async function parseBody(contentType: string, body: Buffer, findings?: FieldFindings): Promise<unknown> {
  switch (contentType) {
    case '':
    case 'application/json':
      return parseJson(body.toString('utf8'), findings)
    case 'application/yaml':
    case 'application/x-yaml':
    case 'text/yaml':
      return await parseYaml(body.toString('utf8'))
    case 'application/vnd.kubernetes.protobuf':
      return await parseProtobuf(body)
    default:
      throw unsupportedMediaType(OBJECT_TYPES)
  }
}

/** @throws ApiError 400 */
export function parseJson(text: string, findings?: FieldFindings): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    const problem = jsonProblem(text, error)
    throw new SyntaxProblem('JSON', problem, `couldn't get version/kind; json parse error: ${problem}`, error)
  }
  checkDepth(value)
  if (findings !== undefined && findings.mode !== 'Ignore') {
    for (const path of findDuplicateFields(text)) findings.duplicate(path)
  }
  return value
}

/** @throws ApiError 400 */
export async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml')
  let value: unknown
  try {
    // Aliases can multiply a small text into gigabytes.
    value = parse(text, { maxAliasCount: 100, version: '1.2', merge: true })
  } catch (error) {
    throw new SyntaxProblem('YAML', messageOf(error), `yaml: ${messageOf(error)}`, error)
  }
  checkDepth(value)
  return value
}

async function parseProtobuf(body: Buffer): Promise<unknown> {
  const { decodeProtobuf } = await import('../protobuf/decode.ts')
  try {
    return decodeProtobuf(body)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new SyntaxProblem('protobuf', messageOf(error), protobufProblem(body, error), error)
  }
}

/** A body that cannot be parsed; `why` is how the real server puts it. */
export class SyntaxProblem extends ApiError {
  readonly problem: string
  readonly why: string

  constructor(format: string, problem: string, why: string, cause: unknown) {
    super(400, 'BadRequest', `the body of the request is not valid ${format}: ${problem}`, { cause })
    this.problem = problem
    this.why = why
  }
}

const PROTOBUF_PREFIX = Buffer.from('k8s\0')

function protobufProblem(body: Buffer, error: unknown): string {
  if (body.subarray(0, PROTOBUF_PREFIX.length).equals(PROTOBUF_PREFIX)) return messageOf(error)
  const prefix = [...PROTOBUF_PREFIX].join(' ')
  return `provided data does not appear to be a protobuf message, expected prefix [${prefix}]`
}

function checkDepth(value: unknown): void {
  if (isDeeperThan(value, MAX_DEPTH)) throw badRequest(`the body nests deeper than ${MAX_DEPTH} levels`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

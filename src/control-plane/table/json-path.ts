/**
 * The JSONPath that printer columns use: names (dots escaped with a backslash), quoted keys, indexes, slices, `[*]` and one
 * comparison in a filter. Parsed once, evaluated without recursion and without running anything: a path is data.
 *
 *   .spec.replicas   .metadata.labels['a/b']   .status.conditions[?(@.type=="Ready")].status   .spec.hosts[0]   .spec.ports[*].port
 */

export type JsonPath = readonly Step[]

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'slice'; readonly from: number; readonly to: number | undefined }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: JsonPath; readonly operator: Operator; readonly value: unknown }

const OPERATORS = ['==', '!=', '<=', '>=', '<', '>'] as const
type Operator = (typeof OPERATORS)[number] | 'exists'

/** The longest path that is parsed, in characters. */
const MAX_LENGTH = 1000

/** Thrown for a path that is not of the form above. */
export class JsonPathError extends Error {
  readonly code = 'JsonPathInvalid'
  constructor(path: string, at: number) {
    super(
      `JSONPath ${JSON.stringify(path)} is not understood at character ${at + 1}; write names, [index], ['key'] or [?(@.name=="value")]`,
    )
  }
}

const FIELD = /\.((?:\\.|[^\\.[\]\s(){}])+)/y
const QUOTED = /\[\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)")\s*\]/y
const INDEX = /\[\s*(-?\d+)\s*\]/y
const SLICE = /\[\s*(-?\d*)\s*:\s*(-?\d*)\s*\]/y
const ALL = /\[\s*\*\s*\]|\.\*/y
const FILTER = /\[\?\(\s*@((?:'[^']*'|"[^"]*"|[^()'"])*)\)\]/y

const PARSERS: ReadonlyArray<readonly [RegExp, (match: RegExpExecArray) => Step]> = [
  [ALL, () => ({ kind: 'all' })],
  [FIELD, (match) => ({ kind: 'field', name: unescapeText(match[1] ?? '') })],
  [QUOTED, (match) => ({ kind: 'field', name: unescapeText(match[1] ?? match[2] ?? '') })],
  [INDEX, (match) => ({ kind: 'index', index: Number(match[1]) })],
  [SLICE, (match) => ({ kind: 'slice', from: Number(match[1] ?? 0), to: match[2] ? Number(match[2]) : undefined })],
  [FILTER, (match) => parseFilter(match[1] ?? '')],
]

/** Throws JsonPathError. Surrounding braces and a leading `$` are allowed, a leading dot may be missing. */
export function parseJsonPath(text: string): JsonPath {
  const path = text
    .trim()
    .replace(/^\{(.*)\}$/s, '$1')
    .replace(/^\$/, '')
  if (path.length > MAX_LENGTH) throw new JsonPathError(`${path.slice(0, 40)}...`, MAX_LENGTH)
  const source = path === '' || /^[.[]/.test(path) ? path : `.${path}`
  const steps: Step[] = []
  let position = source === '.' ? 1 : 0
  while (position < source.length) {
    const found = parseStep(source, position)
    if (found === undefined) throw new JsonPathError(text, position)
    steps.push(found.step)
    position = found.end
  }
  return steps
}

function parseStep(source: string, position: number): { step: Step; end: number } | undefined {
  for (const [pattern, toStep] of PARSERS) {
    pattern.lastIndex = position
    const match = pattern.exec(source)
    if (match !== null) return { step: toStep(match), end: position + match[0].length }
  }
  return undefined
}

function parseFilter(text: string): Step {
  const found = /^((?:'[^']*'|"[^"]*"|[^'"=!<>])*)(?:(==|!=|<=|>=|<|>)(.*))?$/s.exec(text)
  const path = parseJsonPath((found?.[1] ?? '').trim())
  const operator = OPERATORS.find((candidate) => candidate === found?.[2])
  if (operator === undefined) return { kind: 'filter', path, operator: 'exists', value: undefined }
  return { kind: 'filter', path, operator, value: parseLiteral((found?.[3] ?? '').trim()) }
}

function parseLiteral(text: string): unknown {
  const quoted = /^'(.*)'$|^"(.*)"$/s.exec(text)
  if (quoted) return unescapeText(quoted[1] ?? quoted[2] ?? '')
  if (text === 'true' || text === 'false') return text === 'true'
  if (text !== '' && Number.isFinite(Number(text))) return Number(text)
  throw new JsonPathError(text, 0)
}

const unescapeText = (text: string): string => text.replace(/\\(.)/gs, '$1')

/** All values at the path, in order; none when a step finds nothing. */
export function evaluateJsonPath(path: JsonPath, root: unknown): unknown[] {
  let values: unknown[] = [root]
  for (const step of path) values = values.flatMap((value) => applyStep(step, value))
  return values
}

function applyStep(step: Step, value: unknown): unknown[] {
  switch (step.kind) {
    case 'field':
      return isObject(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : []
    case 'index':
      return Array.isArray(value) && value.at(step.index) !== undefined ? [value.at(step.index)] : []
    case 'slice':
      return Array.isArray(value) ? value.slice(step.from, step.to) : []
    case 'all':
      return elements(value)
    case 'filter':
      return elements(value).filter((element) => matches(step, element))
  }
}

function elements(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  return isObject(value) ? Object.values(value) : []
}

function matches(step: Extract<Step, { kind: 'filter' }>, element: unknown): boolean {
  const [found] = evaluateJsonPath(step.path, element)
  if (step.operator === 'exists') return found !== undefined
  return found !== undefined && compare(found, step.operator, step.value)
}

function compare(left: unknown, operator: Operator, right: unknown): boolean {
  if (operator === '==') return left === right
  if (operator === '!=') return left !== right
  if (typeof left === 'number' && typeof right === 'number') return inOrder(left - right, operator)
  if (typeof left === 'string' && typeof right === 'string')
    return inOrder(left < right ? -1 : Number(left > right), operator)
  return false
}

function inOrder(difference: number, operator: Operator): boolean {
  if (operator === '<') return difference < 0
  if (operator === '<=') return difference <= 0
  return operator === '>' ? difference > 0 : difference >= 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Expressions as trees, and where in the text their parts are. The grammar is the library's. */
import { type ASTNode, Environment, ParseError } from '@marcbachmann/cel-js'

export type Node = ASTNode

/** Hostile expressions are refused before they are looked at closely. */
const LIMITS = { maxAstNodes: 10_000, maxDepth: 200, maxListElements: 1000, maxMapEntries: 1000, maxCallArguments: 32 }

const environment = new Environment({ enableOptionalTypes: true, unlistedVariablesAreDyn: true, limits: LIMITS })

/** One fault of an expression, at a position in its text (UTF-16 units). */
export interface Issue {
  readonly position: number
  readonly message: string
}

export class SyntaxFault extends Error {
  readonly code = 'syntax'
  readonly position: number

  constructor(position: number, message: string, cause: unknown) {
    super(message, { cause })
    this.position = position
  }
}

/** @throws SyntaxFault */
export function parseExpression(text: string): Node {
  try {
    return environment.parse(text).ast
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw faultOf(text, error)
  }
}

const OPERANDS =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"

/** The commonest faults in the words of the real server; of others the place is the same. */
function faultOf(text: string, error: ParseError): SyntaxFault {
  const position = error.range?.start ?? 0
  const isEnd = position >= text.length
  if (error.code === 'reserved_identifier') {
    return new SyntaxFault(position, error.summary.replace('Reserved', 'reserved'), error)
  }
  return new SyntaxFault(position, `Syntax error: ${describe(error, isEnd, text[position] ?? '')}`, error)
}

function describe(error: ParseError, isEnd: boolean, char: string): string {
  if (error.code === 'unexpected_token' && isEnd) return `mismatched input '<EOF>' expecting ${OPERANDS}`
  if (error.code === 'expected_token' && isEnd) return "missing ')' at '<EOF>'"
  if (error.code === 'unexpected_character' && !/[\w.)\]}]/.test(char)) return `token recognition error at: '${char}'`
  return error.summary
}

/** Where the operator of `node` is: what faults about it point at. */
export function positionOf(node: Node): number {
  const { input } = node
  switch (node.op) {
    case '.':
    case '.?':
      return input.lastIndexOf('.', node.pos)
    case '[]':
    case '[?]':
      return skipTo(input, node.args[0].end)
    case 'call':
      return skipBlank(input, node.start + node.args[0].length)
    case 'rcall':
      return openingOf(input, node.args[1].end, node.args[0])
    case '?:':
      return skipTo(input, node.args[0].end)
    case 'id':
    case 'value':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return node.start
    default:
      return skipTo(input, node.args[0].end)
  }
}

/** The parenthesis after `.name`. */
function openingOf(input: string, from: number, name: string): number {
  const dot = skipTo(input, from)
  return skipBlank(input, skipBlank(input, dot + 1) + name.length)
}

/** Past the parentheses that close the operand before. */
function skipTo(input: string, from: number): number {
  let at = skipBlank(input, from)
  while (input[at] === ')') at = skipBlank(input, at + 1)
  return at
}

function skipBlank(input: string, from: number): number {
  let at = from
  while (at < input.length) {
    if (input.startsWith('//', at)) at = lineEnd(input, at)
    else if (!/\s/.test(input[at] ?? '')) break
    else at += 1
  }
  return at
}

function lineEnd(input: string, from: number): number {
  const end = input.indexOf('\n', from)
  return end < 0 ? input.length : end
}

/** The issues as one text: each with its line, and a mark below the place. */
export function formatIssues(text: string, issues: readonly Issue[]): string {
  const sorted = [...issues].sort((left, right) => left.position - right.position)
  return sorted.map((issue) => formatIssue(text, issue)).join('\n')
}

function formatIssue(text: string, { position, message }: Issue): string {
  const before = text.slice(0, position)
  const lineStart = before.lastIndexOf('\n') + 1
  const line = text.slice(lineStart).split('\n', 1)[0] ?? ''
  const column = [...text.slice(lineStart, position)].length
  const number = before.split('\n').length
  return `ERROR: <input>:${number}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`
}

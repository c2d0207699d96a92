/**
 * Label selectors: `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x)`, `a`, `!a`, `a>1`, `a<1`, joined by commas.
 * `!=` and `notin` also match objects without the key. [doc: Labels and Selectors]
 */
import { scanLabelSelector, type Token, type TokenKind } from './label-lexer.ts'
import { labelKeyProblems, labelValueProblems } from './label-syntax.ts'
import { SelectorError } from './selector-error.ts'

export type Labels = Readonly<Record<string, string>>

export interface LabelSelector {
  matches(labels: Labels | undefined): boolean
  /** The selector in normal form: requirements sorted by key, values of a set sorted. Parses to an equal selector. */
  readonly text: string
}

type Operator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<'

interface Requirement {
  readonly key: string
  readonly operator: Operator
  readonly values: ReadonlySet<string>
}

/** Throws `SelectorError`. An empty text selects everything. */
export function parseLabelSelector(text: string): LabelSelector {
  const requirements = new Parser(scanLabelSelector(text)).parse()
  requirements.sort((left, right) => compare(left.key, right.key))
  return {
    matches: (labels = {}) => requirements.every((requirement) => isMet(requirement, labels)),
    text: requirements.map(printRequirement).join(','),
  }
}

class Parser {
  readonly #tokens: readonly Token[]
  #position = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = []
    while (this.#peek().kind !== 'end') {
      const next = this.#peek()
      if (!isStart(next)) throw new SelectorError(`found '${next.text}', expected: !, identifier, or 'end of string'`)
      requirements.push(this.#requirement())
      this.#separator()
    }
    return requirements
  }

  #separator(): void {
    const token = this.#take()
    if (token.kind === 'end') {
      this.#position--
      return
    }
    if (token.kind !== ',') throw new SelectorError(`found '${token.text}', expected: ',' or 'end of string'`)
    const next = this.#peek()
    if (!isStart(next)) throw new SelectorError(`found '${next.text}', expected: identifier after ','`)
  }

  #requirement(): Requirement {
    const isNegated = this.#peek().kind === '!'
    if (isNegated) this.#take()
    const key = this.#takeWord()
    if (key.kind !== 'identifier') throw unparsable(`found '${key.text}', expected: identifier`)
    checkKey(key.text)
    if (isNegated) return { key: key.text, operator: '!', values: new Set() }
    const next = this.#peek().kind
    if (next === 'end' || next === ',') return { key: key.text, operator: 'exists', values: new Set() }
    const operator = this.#operator()
    const values = operator === 'in' || operator === 'notin' ? this.#valueSet() : this.#value()
    checkValues(key.text, operator, values)
    return { key: key.text, operator, values }
  }

  #operator(): Operator {
    const token = this.#take()
    const operator = BINARY_OPERATORS.find((kind) => kind === token.kind)
    if (operator === undefined) throw unparsable(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`)
    return operator
  }

  #value(): Set<string> {
    const next = this.#peek().kind
    if (next === 'end' || next === ',') return new Set([''])
    const token = this.#takeWord()
    if (token.kind !== 'identifier') throw unparsable(`found '${token.text}', expected: identifier`)
    return new Set([token.text])
  }

  /** `(x,y)`. An omitted value, as in `()` or `(x,)`, is the empty string. */
  #valueSet(): Set<string> {
    const open = this.#take()
    if (open.kind !== '(') throw unparsable(`found '${open.text}' expected: '('`)
    const values = new Set<string>()
    let previous: TokenKind = '('
    while (previous !== ')') {
      const token = this.#takeWord()
      const value = valueBefore(token, previous)
      if (value !== undefined) values.add(value)
      previous = token.kind
    }
    return values
  }

  #peek(): Token {
    return this.#tokens[this.#position] ?? END
  }

  #take(): Token {
    const token = this.#peek()
    this.#position++
    return token
  }

  /** As a key or a value, `in` and `notin` are ordinary words. */
  #takeWord(): Token {
    const token = this.#take()
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'identifier', text: token.text } : token
  }
}

const END: Token = { kind: 'end', text: '' }
const BINARY_OPERATORS = ['in', 'notin', '=', '==', '!=', '>', '<'] as const satisfies readonly Operator[]

/** The value that a token inside parentheses gives: its own text, '' where a value was left out, or none. */
function valueBefore(token: Token, previous: TokenKind): string | undefined {
  const isExpected = token.kind === ',' || token.kind === ')' || token.kind === 'identifier'
  if (!isExpected || (token.kind === 'identifier' && previous === 'identifier')) {
    throw unparsable(`found '${token.text}', expected: ${EXPECTED_AFTER[previous] ?? ''}`)
  }
  if (token.kind === 'identifier') return token.text
  return previous === 'identifier' ? undefined : ''
}

const EXPECTED_AFTER: Partial<Record<TokenKind, string>> = {
  '(': "',', ')' or identifier",
  ',': "',', or identifier",
  identifier: "',' or ')'",
}

function isStart(token: Token): boolean {
  return ['identifier', 'in', 'notin', '!'].includes(token.kind)
}

function unparsable(detail: string): SelectorError {
  return new SelectorError(`unable to parse requirement: ${detail}`)
}

function checkKey(key: string): void {
  const problems = labelKeyProblems(key)
  if (problems.length > 0) throw unparsable(badValue('<nil>', key, problems))
}

function checkValues(key: string, operator: Operator, values: ReadonlySet<string>): void {
  const sorted = [...values].sort(compare)
  const isComparison = operator === '>' || operator === '<'
  const notIntegers = sorted.flatMap((value, index) => {
    if (!isComparison || parseInteger(value) !== undefined) return []
    return [badValue(`values[${index}]`, value, ["for 'Gt', 'Lt' operators, the value must be an integer"])]
  })
  const badTexts = sorted.flatMap((value, index) => {
    const problems = labelValueProblems(value)
    return problems.length === 0 ? [] : [badValue(`values[${index}][${key}]`, value, problems)]
  })
  const all = [...notIntegers, ...badTexts]
  if (all.length > 0) throw unparsable(all.length === 1 ? all.join('') : `[${all.join(', ')}]`)
}

function badValue(path: string, value: string, problems: readonly string[]): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`
}

function isMet(requirement: Requirement, labels: Labels): boolean {
  const { key, operator, values } = requirement
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && values.has(value)
    case '!=':
    case 'notin':
      return value === undefined || !values.has(value)
    case 'exists':
      return value !== undefined
    case '!':
      return value === undefined
    case '>':
    case '<':
      return isOrdered(value, operator, values)
  }
}

function isOrdered(value: string | undefined, operator: '>' | '<', values: ReadonlySet<string>): boolean {
  const actual = value === undefined ? undefined : parseInteger(value)
  const [bound] = [...values].map(parseInteger)
  if (actual === undefined || bound === undefined) return false
  return operator === '>' ? actual > bound : actual < bound
}

function parseInteger(text: string): bigint | undefined {
  return /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined
}

function printRequirement({ key, operator, values }: Requirement): string {
  const list = [...values].sort(compare).join(',')
  if (operator === 'exists') return key
  if (operator === '!') return `!${key}`
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${list})`
  return `${key}${operator}${list}`
}

/** By code unit, not by locale, so that the order is the same everywhere. */
function compare(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}

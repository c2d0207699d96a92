/** Tokens of a label selector. */

export type TokenKind =
  | 'identifier'
  | 'in'
  | 'notin'
  | '='
  | '=='
  | '!='
  | '>'
  | '<'
  | '!'
  | '('
  | ')'
  | ','
  | 'error'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
}

const SYMBOLS: ReadonlyMap<string, TokenKind> = new Map(
  (['=', '==', '!=', '>', '<', '!', '(', ')', ','] as const).map((symbol) => [symbol, symbol]),
)

const TOKEN = /[ \t\r\n]+|[=!(),><]+|[^ \t\r\n=!(),><]+/g

/** All tokens; the last one is always `end`. */
export function scanLabelSelector(text: string): Token[] {
  const runs = [...text.matchAll(TOKEN)].map(([run]) => run).filter((run) => run.trim() !== '')
  const tokens = runs.flatMap((run) => (/^[=!(),><]/.test(run) ? scanSymbols(run) : [scanWord(run)]))
  tokens.push({ kind: 'end', text: '' })
  return tokens
}

function scanWord(run: string): Token {
  return { kind: run === 'in' || run === 'notin' ? run : 'identifier', text: run }
}

/** A run of symbols, longest match first: `!=`, `==`, `!`, `(`, ... */
function scanSymbols(run: string): Token[] {
  const tokens: Token[] = []
  for (let position = 0; position < run.length; ) {
    const pair = run.slice(position, position + 2)
    const text = pair.length === 2 && SYMBOLS.has(pair) ? pair : run.charAt(position)
    tokens.push({ kind: SYMBOLS.get(text) ?? 'error', text })
    position += text.length
  }
  return tokens
}

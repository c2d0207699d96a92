/** Cases in which our answer is not that of the real server, with the reason: see docs/reference/control-plane-differences.md. */
const SYNTAX = 'faults of syntax are found at the same place, in other words'

export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  "definition: rule self.s == 'unterminated": SYNTAX,
  'definition: rule self..a': SYNTAX,
  'definition: a rule where no type is':
    'a rule on a value of unknown type never runs; the real server fails with an internal error',
  "expression: '%s'.format([]) == ''": 'what a format asks for is checked when it runs',
}

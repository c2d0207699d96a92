/** Cases in which our answer is not that of the real server, with the reason: see docs/reference/control-plane-differences.md. */
const COST = 'costs are limited when rules run, not estimated when a definition is written'
const SYNTAX = 'faults of syntax are found at the same place, in other words'

export const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  "definition: rule self.s == 'unterminated": SYNTAX,
  'definition: rule self..a': SYNTAX,
  'definition: a rule where no type is':
    'a rule on a value of unknown type never runs; the real server fails with an internal error',
  'definition: a rule whose cost cannot be bounded': COST,
  'definition: an unbounded list of unbounded text': COST,
  'definition: nested unbounded lists': COST,
  "expression: ['a', 'b'].join() == 'ab'": COST,
  "expression: ['a', 'b'].join('-') == 'a-b'": COST,
  "expression: ['a', 'b'].isSorted()": COST,
  "expression: ['a', 'b', 'a'].indexOf('a') == 0": COST,
  "expression: ['a', 'b', 'a'].lastIndexOf('a') == 2": COST,
  "expression: format.named('dns1123Label').value().validate('my-name') == optional.none()": COST,
  'expression: optional.none() == optional.none()': COST,
  "expression: '%s'.format([]) == ''": 'what a format asks for is checked when it runs',
}

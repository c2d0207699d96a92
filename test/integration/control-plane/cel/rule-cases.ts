/** Rules with values to judge by them: what any server that evaluates rules has to agree on. */
import type { Schema, ValidationRule } from '../../../../src/control-plane/schema/schema.ts'

export interface RuleCase {
  readonly name: string
  /** Of one field of a resource. */
  readonly schema: Schema
  readonly value: unknown
  /** What the value replaces: it was written before the rules were there, so it need not be valid. */
  readonly old?: unknown
}

type Rule = string | ValidationRule

const text = (...rules: Rule[]): Schema => ({ type: 'string', maxLength: 40, ...withRules(rules) })
const whole = (...rules: Rule[]): Schema => ({ type: 'integer', ...withRules(rules) })
const object = (properties: Record<string, Schema>, ...rules: Rule[]): Schema => ({
  type: 'object',
  properties,
  ...withRules(rules),
})
const list = (items: Schema, more: Partial<Schema>, ...rules: Rule[]): Schema => ({
  type: 'array',
  maxItems: 10,
  items,
  ...more,
  ...withRules(rules),
})
const map = (values: Schema, ...rules: Rule[]): Schema => ({
  type: 'object',
  maxProperties: 10,
  additionalProperties: values,
  ...withRules(rules),
})

function withRules(rules: readonly Rule[]): Partial<Schema> {
  if (rules.length === 0) return {}
  return { 'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)) }
}

const LONG = 'size(self) > 3'
const SET = { 'x-kubernetes-list-type': 'set' } as const
const BY_NAME: Partial<Schema> = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }
const NAMED: Schema = { type: 'object', required: ['name'], properties: { name: text(), value: whole() } }
const ONCE: ValidationRule = { rule: 'self == oldSelf', message: 'never changes' }

export const RULE_CASES: readonly RuleCase[] = [
  { name: 'a rule that holds', schema: whole('self > 0'), value: 1 },
  { name: 'a rule that fails, without a message', schema: whole('self > 0'), value: 0 },
  { name: 'a message', schema: whole({ rule: 'self > 0', message: 'must be positive' }), value: 0 },
  {
    name: 'spaces around a message and a rule',
    schema: whole({ rule: ' self > 0 ', message: ' positive ' }),
    value: 0,
  },
  { name: 'spaces around a rule without message', schema: whole({ rule: ' self > 0 ' }), value: 0 },
  { name: 'several rules in order', schema: whole('self > 3', 'self > 2', 'self > 1'), value: 2 },
  {
    name: 'reason Required',
    schema: whole({ rule: 'self > 0', message: 'm', reason: 'FieldValueRequired' }),
    value: 0,
  },
  {
    name: 'reason Forbidden',
    schema: whole({ rule: 'self > 0', message: 'm', reason: 'FieldValueForbidden' }),
    value: 0,
  },
  {
    name: 'reason Duplicate',
    schema: whole({ rule: 'self > 0', message: 'm', reason: 'FieldValueDuplicate' }),
    value: 0,
  },
  { name: 'reason Invalid', schema: whole({ rule: 'self > 0', message: 'm', reason: 'FieldValueInvalid' }), value: 0 },
  {
    name: 'fieldPath of a field',
    schema: object({ a: whole() }, { rule: 'false', message: 'm', fieldPath: '.a' }),
    value: { a: 1 },
  },
  {
    name: 'fieldPath with brackets',
    schema: object({ a: object({ 'b.c': whole() }) }, { rule: 'false', message: 'm', fieldPath: ".a['b.c']" }),
    value: { a: { 'b.c': 1 } },
  },
  {
    name: 'fieldPath with a reason',
    schema: object({ a: whole() }, { rule: 'has(self.a)', reason: 'FieldValueRequired', fieldPath: '.a' }),
    value: {},
  },
  { name: 'messageExpression', schema: text({ rule: LONG, messageExpression: '"got " + self' }), value: 'ab' },
  {
    name: 'messageExpression before message',
    schema: text({ rule: LONG, message: 'fixed', messageExpression: '"got " + self' }),
    value: 'ab',
  },
  {
    name: 'messageExpression that fails',
    schema: text({ rule: LONG, message: 'fixed', messageExpression: '"got " + self.substring(9)' }),
    value: 'ab',
  },
  {
    name: 'messageExpression that fails, no message',
    schema: text({ rule: LONG, messageExpression: 'self.substring(9)' }),
    value: 'ab',
  },
  {
    name: 'messageExpression with a line break',
    schema: text({ rule: LONG, message: 'm', messageExpression: '"a\\nb" + self' }),
    value: 'ab',
  },
  {
    name: 'messageExpression of spaces',
    schema: text({ rule: LONG, message: 'm', messageExpression: 'self + " "' }),
    value: ' ',
  },
  {
    name: 'messageExpression with spaces around',
    schema: text({ rule: LONG, messageExpression: '"  a " + self + " "' }),
    value: 'ab',
  },
  {
    name: 'messageExpression with oldSelf',
    schema: text({ rule: 'self >= oldSelf', messageExpression: '"was " + oldSelf' }),
    value: 'a',
    old: 'b',
  },
  {
    name: 'scientific notation',
    schema: text({ rule: LONG, messageExpression: "'%e %e %.2e'.format([1234.5, 0.00012, 1.5])" }),
    value: 'ab',
  },
  { name: 'division by zero', schema: whole('1 / self == 1'), value: 0 },
  { name: 'modulus by zero', schema: whole({ rule: '1 % self == 1', message: 'm' }), value: 0 },
  { name: 'integer overflow', schema: whole('self + 9223372036854775807 > 0'), value: 5 },
  { name: 'no such key', schema: map(whole(), "self['b'] == 1"), value: { a: 1 } },
  { name: 'a field that is not there', schema: object({ a: whole(), b: whole() }, 'self.b > 0'), value: { a: 1 } },
  {
    name: 'has() of a field that is not there',
    schema: object({ a: whole(), b: whole() }, '!has(self.b) || self.b > 0'),
    value: { a: 1 },
  },
  { name: 'index out of bounds', schema: list(whole(), {}, 'self[3] == 1'), value: [1, 2] },
  { name: 'a negative index', schema: list(whole(), {}, 'self[-1] == 1'), value: [1, 2] },
  { name: 'a fault beside true', schema: whole('1 / self == 1 || self == 0'), value: 0 },
  { name: 'a fault beside false', schema: whole('!(1 / self == 1 && self != 0)'), value: 0 },
  { name: 'a fault that decides', schema: whole('1 / self == 1 || self != 0'), value: 0 },
  { name: 'faults in all()', schema: list(whole(), {}, 'self.all(x, 4 / x > 1)'), value: [0, 4] },
  { name: 'faults in all() that decide', schema: list(whole(), {}, 'self.all(x, 4 / x > 1)'), value: [0, 2] },
  { name: 'faults in exists()', schema: list(whole(), {}, 'self.exists(x, 4 / x == 2)'), value: [0, 2] },
  { name: 'exists_one', schema: list(whole(), {}, 'self.exists_one(x, x > 1)'), value: [1, 2, 3] },
  { name: 'a bad pattern', schema: text('"a".matches(self)'), value: '(' },
  { name: 'a quantity that is none', schema: text('quantity(self).isGreaterThan(quantity("1"))'), value: 'x' },
  { name: 'a url that is none', schema: text('url(self).getHost() == "x"'), value: 'a b' },
  { name: 'an address that is none', schema: text('ip(self).family() == 4'), value: '1.2.3' },
  { name: 'text that is no number', schema: text('int(self) > 0'), value: 'x' },
  { name: 'text that is no duration', schema: text('duration(self) > duration("1s")'), value: 'x' },
  { name: 'a substring out of range', schema: text('self.substring(3) == ""'), value: 'a' },
  { name: 'charAt out of range', schema: text('self.charAt(3) == ""'), value: 'a' },
  {
    name: 'an int-or-string that is a number',
    schema: { 'x-kubernetes-int-or-string': true, ...withRules(['self == 5']) },
    value: 6,
  },
  {
    name: 'an int-or-string that is text',
    schema: { 'x-kubernetes-int-or-string': true, ...withRules(["self == '50%'"]) },
    value: '5%',
  },
  {
    name: 'an int-or-string of either type',
    schema: { 'x-kubernetes-int-or-string': true, ...withRules(["type(self) == int ? self < 3 : self == '1%'"]) },
    value: '1%',
  },
  {
    name: 'an int-or-string without overload',
    schema: { 'x-kubernetes-int-or-string': true, ...withRules(['self < 3']) },
    value: 'a',
  },
  {
    name: 'an int-or-string without method, with message',
    schema: { 'x-kubernetes-int-or-string': true, ...withRules([{ rule: 'self.startsWith("a")', message: 'm' }]) },
    value: 3,
  },
  { name: 'a double', schema: { type: 'number', ...withRules(['self > 1.5', 'self == 1.5', 'self > 1']) }, value: 1.5 },
  {
    name: 'a double that is whole',
    schema: { type: 'number', ...withRules(['self == 2.0', 'self + 0.5 == 2.5']) },
    value: 2,
  },
  { name: 'a boolean', schema: { type: 'boolean', ...withRules(['self']) }, value: false },
  {
    name: 'a date-time',
    schema: {
      type: 'string',
      format: 'date-time',
      ...withRules(['self.getFullYear() == 2023', 'self < timestamp("2024-06-01T00:00:00Z")']),
    },
    value: '2024-01-01T00:00:00Z',
  },
  {
    name: 'a date',
    schema: {
      type: 'string',
      format: 'date',
      ...withRules(['self.getMonth() == 1', 'self == timestamp("2024-01-02T00:00:00Z")']),
    },
    value: '2024-01-02',
  },
  {
    name: 'a duration',
    schema: { type: 'string', format: 'duration', ...withRules(['self < duration("1h")', 'self.getMinutes() == 90']) },
    value: '1h30m',
  },
  {
    name: 'bytes',
    schema: { type: 'string', format: 'byte', maxLength: 40, ...withRules(["self == b'abc'", 'size(self) == 4']) },
    value: 'YWJj',
  },
  {
    name: 'escaped names',
    schema: object(
      { 'a.b': whole(), 'c-d': whole(), 'e/f': whole(), g__h: whole() },
      'self.a__dot__b == 1',
      'self.c__dash__d == 1',
      'self.e__slash__f == 1',
      'self.g__underscores__h == 1',
    ),
    value: { 'a.b': 1, 'c-d': 2, 'e/f': 3, g__h: 4 },
  },
  {
    name: 'reserved words',
    schema: object(
      { namespace: text(), for: text(), in: text() },
      'self.__namespace__ == "a"',
      'self.__for__ == "b"',
      'has(self.__in__)',
    ),
    value: { namespace: 'a', for: 'x' },
  },
  { name: 'transition rule on create', schema: whole(ONCE), value: 1 },
  { name: 'transition rule that holds', schema: whole(ONCE), value: 1, old: 1 },
  { name: 'transition rule that fails', schema: whole(ONCE), value: 2, old: 1 },
  { name: 'transition rule on a field that is new', schema: object({ a: whole(ONCE) }), value: { a: 1 }, old: {} },
  { name: 'transition rule on a field that went', schema: object({ a: whole(ONCE) }), value: {}, old: { a: 1 } },
  { name: 'write once', schema: object({ a: whole() }, '!has(oldSelf.a) || has(self.a)'), value: {}, old: { a: 1 } },
  {
    name: 'transition rule in a list map',
    schema: list({ ...NAMED, ...withRules([ONCE]) }, BY_NAME),
    value: [
      { name: 'b', value: 3 },
      { name: 'a', value: 1 },
    ],
    old: [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ],
  },
  {
    name: 'transition rule in a list map, new item',
    schema: list({ ...NAMED, ...withRules([ONCE]) }, BY_NAME),
    value: [{ name: 'c', value: 3 }],
    old: [{ name: 'a', value: 1 }],
  },
  { name: 'transition rule in a map', schema: map(whole(ONCE)), value: { a: 2, b: 1 }, old: { a: 1 } },
  {
    name: 'transition rule below the item of a list map',
    schema: list({ ...NAMED, properties: { name: text(), value: whole(ONCE) } }, BY_NAME),
    value: [{ name: 'a', value: 2 }],
    old: [{ name: 'a', value: 1 }],
  },
  { name: 'transition rule on a whole atomic list', schema: list(whole(), {}, ONCE), value: [2, 1], old: [1, 2] },
  { name: 'transition rule on a whole set', schema: list(text(), SET, ONCE), value: ['b', 'a'], old: ['a', 'b'] },
  {
    name: 'transition rule on a whole list map',
    schema: list(NAMED, BY_NAME, ONCE),
    value: [{ name: 'b' }, { name: 'a' }],
    old: [{ name: 'a' }, { name: 'b' }],
  },
  {
    name: 'transition rule on a list map that changed',
    schema: list(NAMED, BY_NAME, ONCE),
    value: [{ name: 'b', value: 1 }],
    old: [{ name: 'b', value: 2 }],
  },
  {
    name: 'optionalOldSelf on create',
    schema: whole({ rule: 'oldSelf.hasValue()', message: 'no old', optionalOldSelf: true }),
    value: 1,
  },
  {
    name: 'optionalOldSelf on update',
    schema: whole({ rule: 'oldSelf.value() < self', optionalOldSelf: true }),
    value: 1,
    old: 2,
  },
  {
    name: 'optionalOldSelf with orValue',
    schema: whole({ rule: 'oldSelf.orValue(0) < self', optionalOldSelf: true }),
    value: 0,
  },
  {
    name: 'optionalOldSelf for a new map entry',
    schema: map(whole({ rule: 'oldSelf.hasValue() || self > 1', optionalOldSelf: true })),
    value: { a: 1, b: 1 },
    old: { a: 1 },
  },
  {
    name: 'optionalOldSelf, value unchanged',
    schema: whole({ rule: 'self > 5 && oldSelf.hasValue()', optionalOldSelf: true }),
    value: 1,
    old: 1,
  },
  { name: 'ratcheting: unchanged and invalid', schema: whole('self > 5'), value: 1, old: 1 },
  { name: 'ratcheting: changed and invalid', schema: whole('self > 5'), value: 2, old: 1 },
  {
    name: 'ratcheting: a sibling changed',
    schema: object({ a: whole('self > 5'), b: whole() }),
    value: { a: 1, b: 2 },
    old: { a: 1, b: 1 },
  },
  {
    name: 'ratcheting: the object changed elsewhere',
    schema: object({ a: whole(), b: whole() }, 'self.a > 5'),
    value: { a: 1, b: 2 },
    old: { a: 1, b: 1 },
  },
  {
    name: 'ratcheting: in an atomic list that is unchanged',
    schema: list(whole('self > 5'), {}),
    value: [1],
    old: [1],
  },
  { name: 'ratcheting: in an atomic list that grew', schema: list(whole('self > 5'), {}), value: [1, 9], old: [1] },
  {
    name: 'ratcheting: in a list map',
    schema: list({ ...NAMED, ...withRules(['self.value > 5']) }, BY_NAME),
    value: [
      { name: 'b', value: 9 },
      { name: 'a', value: 1 },
    ],
    old: [{ name: 'a', value: 1 }],
  },
  {
    name: 'ratcheting: a set in another order',
    schema: list(text('self > "m"'), SET),
    value: ['b', 'a'],
    old: ['a', 'b'],
  },
  { name: 'ratcheting: a fault', schema: whole('1 / self == 1'), value: 0, old: 0 },
  { name: 'ratcheting: a transition rule', schema: whole('oldSelf > 5'), value: 1, old: 1 },
  { name: 'rules in items', schema: list(whole('self > 1'), {}), value: [1, 2, 0] },
  { name: 'rules in map values', schema: map(whole('self > 1')), value: { a: 1, 'x.y': 0 } },
  { name: 'outer rules before inner', schema: object({ a: whole('self > 1') }, 'self.a > 2'), value: { a: 0 } },
  {
    name: 'null in a nullable field',
    schema: object({ a: { type: 'string', nullable: true } }, 'has(self.a)', 'self.a == "x"'),
    value: { a: null },
  },
  {
    name: 'a null that rules sit on',
    schema: object({ a: { type: 'string', nullable: true, ...withRules(['self == "x"']) } }),
    value: { a: null },
  },
  {
    name: 'a set plus a set',
    schema: object(
      { a: list(text(), SET), b: list(text(), SET) },
      'size(self.a + self.b) == 3',
      'self.a + self.b == ["c", "b", "a"]',
    ),
    value: { a: ['a', 'b'], b: ['b', 'c'] },
  },
  {
    name: 'a list map plus a list map',
    schema: list(NAMED, BY_NAME, 'size(oldSelf + self) == 3', '(oldSelf + self).exists(x, x.value == 1)'),
    value: [{ name: 'x', value: 3 }],
    old: [
      { name: 'x', value: 1 },
      { name: 'y', value: 2 },
    ],
  },
  {
    name: 'a list is ordered',
    schema: object({ a: list(whole(), {}), b: list(whole(), {}) }, 'self.a == self.b'),
    value: { a: [1, 2], b: [2, 1] },
  },
  { name: 'a default is seen', schema: object({ a: { type: 'integer', default: 3 } }, 'self.a == 4'), value: {} },
  {
    name: 'unknown fields are not seen',
    schema: { ...object({ a: whole() }, 'self.a == 2'), 'x-kubernetes-preserve-unknown-fields': true },
    value: { a: 1, z: 2 },
  },
  {
    name: 'preserved fields do not break equality',
    schema: { ...object({ a: whole() }, ONCE), 'x-kubernetes-preserve-unknown-fields': true },
    value: { a: 1, z: 2 },
    old: { a: 1, z: 2 },
  },
  {
    name: 'an embedded resource',
    schema: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
      ...withRules(['self.kind == "Pod"', 'self.metadata.name.startsWith("a")', 'self.apiVersion == "v2"']),
    },
    value: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'b', labels: { a: 'b' } } },
  },
  {
    name: 'a comprehension that is too dear',
    schema: list(
      list(list(whole(), {}), {}),
      {},
      { rule: 'self.all(a, self.all(b, self.all(c, self.all(d, self.all(e, self.all(f, true))))))', message: 'm' },
    ),
    value: Array.from({ length: 10 }, () => []),
  },
]

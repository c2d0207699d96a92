/** Definitions whose rules a server has to refuse, or to accept: `schema` is that of `spec`. */
import type { Schema, ValidationRule } from '../../../../src/control-plane/schema/schema.ts'

export interface DefinitionCase {
  readonly name: string
  readonly schema: Schema
}

const rule = (text: string, more: Partial<ValidationRule> = {}) => ({
  'x-kubernetes-validations': [{ rule: text, ...more }],
})

const OBJECT: Schema = {
  type: 'object',
  properties: {
    a: { type: 'integer' },
    s: { type: 'string', maxLength: 10 },
    list: { type: 'array', maxItems: 5, items: { type: 'integer' } },
    names: { type: 'object', maxProperties: 5, additionalProperties: { type: 'string', maxLength: 10 } },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    any: { 'x-kubernetes-preserve-unknown-fields': true },
    when: { type: 'string', format: 'date-time' },
    either: { 'x-kubernetes-int-or-string': true },
    'with space': { type: 'integer' },
  },
}

const EXPRESSIONS: readonly string[] = [
  'self.a == 1',
  'self.zz == 1',
  'self.a == "x"',
  'self.a',
  '1 + 1',
  'self.a > 1 ||',
  'self.a >',
  '(self.a',
  'self.s.nope()',
  'nope(self.a)',
  'other == 1',
  'self.s + 1 == "a"',
  'self.list.all(x, x.y == 1)',
  'self.list.all(x, x)',
  'self.list["a"] == 1',
  'self.names[1] == "a"',
  'self.names.foo == "a"',
  'self.free.x == 1',
  'self.any == 1',
  'self.when.getFullYear() == 2024',
  'self.either == 1',
  'self.either.foo == 1',
  'self.s.size() > "a"',
  '[1, "a"].size() == 2',
  '{"a": 1, "b": "c"}.size() == 2',
  'self.a ? true : false',
  'true ? 1 : "a"',
  'self.a.exists(x, x > 1)',
  'has(self)',
  'has(self.zz)',
  'has(self.a)',
  'has(self.a.b)',
  '!self.a',
  '-self.s == 1',
  'self.a && true',
  'self.a in self.s',
  'self.a == 1.0',
  'self.a < 1.5',
  'self.zz == 1 && self.yy == 2',
  'dyn(self.a)',
  'self.?a.orValue("x") == "x"',
  'self.?zz.hasValue()',
  'quantity(self.a).sign() == 1',
  'isURL(1)',
  'self.s.matches("(")',
  'self.list == ["a"]',
  'self == 1',
  'type(self.a) == int',
  'self.a == null',
  'self.free == null',
  'self.s.split(",").all(x, x == 1)',
  'oldSelf.a == self.a',
  'self.metadata.name == "a"',
  'self.s == b"a"',
  'cel.bind(x, 1, x == "a")',
  'self.list.map(x, string(x)).join(",") == 1',
  'self.a == 1 // comment',
  "self.s == 'unterminated",
  'self.a == 1;',
  'self..a',
  'self.for == 1',
  'if == 1',
  '',
  'timestamp("x") == self.when',
  'duration("1x") > duration("1s")',
  'self.s.format([1]) == "a"',
  'optional.of(self.a).value() == "a"',
  'ip(self.s) == self.s',
  'self.list.sum() == "a"',
  'size(self.a) == 1',
]

const ITEMS: Schema = { type: 'object', required: ['k'], properties: { k: { type: 'string', maxLength: 10 } } }
const TRANSITION = rule('self == oldSelf')

const spec = (field: Schema): Schema => ({ type: 'object', properties: { f: field } })

export const DEFINITION_CASES: readonly DefinitionCase[] = [
  ...EXPRESSIONS.map((text) => ({ name: `rule ${text}`, schema: { ...OBJECT, ...rule(text) } })),
  { name: 'a rule over two lines', schema: { ...OBJECT, ...rule('self.a == 1 &&\n  self.zz == 2', { message: 'm' }) } },
  {
    name: 'two faulty rules',
    schema: { ...OBJECT, 'x-kubernetes-validations': [{ rule: 'self.x == 1' }, { rule: 'self.y == 1' }] },
  },
  {
    name: 'a faulty rule with all its fields',
    schema: {
      ...OBJECT,
      ...rule('self.x == 1', {
        message: 'm',
        messageExpression: '"a"',
        reason: 'FieldValueForbidden',
        fieldPath: '.a',
        optionalOldSelf: true,
      }),
    },
  },
  {
    name: 'messageExpression that is no text',
    schema: { ...OBJECT, ...rule('true', { messageExpression: 'self.a' }) },
  },
  {
    name: 'messageExpression that does not compile',
    schema: { ...OBJECT, ...rule('true', { messageExpression: 'self.zz + "a"' }) },
  },
  {
    name: 'messageExpression and rule that do not compile',
    schema: { ...OBJECT, ...rule('self.x', { messageExpression: 'self.zz + "a"' }) },
  },
  {
    name: 'messageExpression with oldSelf alone',
    schema: { ...OBJECT, ...rule('true', { messageExpression: 'string(oldSelf.a)' }) },
  },
  {
    name: 'transition rule in an atomic list',
    schema: spec({ type: 'array', maxItems: 5, items: { ...ITEMS, ...TRANSITION } }),
  },
  {
    name: 'transition rule in a set',
    schema: spec({
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'set',
      items: { type: 'string', maxLength: 9, ...TRANSITION },
    }),
  },
  {
    name: 'transition rule in a list map',
    schema: spec({
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { ...ITEMS, ...TRANSITION },
    }),
  },
  {
    name: 'transition rule deep below an atomic list',
    schema: spec({
      type: 'array',
      maxItems: 5,
      items: { ...ITEMS, properties: { k: { type: 'string', maxLength: 9, ...TRANSITION } } },
    }),
  },
  {
    name: 'transition rule in a map',
    schema: spec({ type: 'object', maxProperties: 5, additionalProperties: { type: 'integer', ...TRANSITION } }),
  },
  {
    name: 'transition rule in an atomic map',
    schema: spec({
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      maxProperties: 5,
      additionalProperties: { type: 'integer', ...TRANSITION },
    }),
  },
  {
    name: 'transition rule in an atomic object',
    schema: spec({
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: { a: { type: 'integer', ...TRANSITION } },
    }),
  },
  {
    name: 'transition rule on an atomic list',
    schema: spec({ type: 'array', maxItems: 5, items: { type: 'integer' }, ...TRANSITION }),
  },
  {
    name: 'optionalOldSelf in an atomic list',
    schema: spec({
      type: 'array',
      maxItems: 5,
      items: { type: 'integer', ...rule('oldSelf.hasValue()', { optionalOldSelf: true }) },
    }),
  },
  {
    name: 'optionalOldSelf that is not used',
    schema: { ...OBJECT, ...rule('self.a == 1', { optionalOldSelf: true }) },
  },
  { name: 'optionalOldSelf false', schema: { ...OBJECT, ...rule('self.a == 1', { optionalOldSelf: false }) } },
  {
    name: 'optionalOldSelf taken for the value',
    schema: { ...OBJECT, ...rule('oldSelf.a == 1', { optionalOldSelf: true }) },
  },
  {
    name: 'a rule where no type is',
    schema: spec({ 'x-kubernetes-preserve-unknown-fields': true, ...rule('self == 1') }),
  },
  { name: 'a rule inside of allOf', schema: { ...OBJECT, allOf: [{ ...rule('true') } as Schema] } },
  {
    name: 'a rule whose cost cannot be bounded',
    schema: spec({
      type: 'array',
      items: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
      ...rule('self.all(a, a.all(b, b.all(c, c.matches("x"))))'),
    }),
  },
  {
    name: 'an unbounded list of unbounded text',
    schema: spec({ type: 'array', items: { type: 'string', ...rule('self.contains("a")') } }),
  },
  {
    name: 'nested unbounded lists',
    schema: spec({
      type: 'array',
      items: {
        type: 'array',
        items: { type: 'object', properties: { a: { type: 'string' } }, ...rule('self.a.matches("^a+$")') },
      },
    }),
  },
  {
    name: 'rules that are too dear together',
    schema: spec({
      type: 'array',
      maxItems: 900_000,
      items: {
        type: 'integer',
        'x-kubernetes-validations': Array.from({ length: 12 }, (_, index) => ({ rule: `[self, ${index}].size() > 0` })),
      },
    }),
  },
  {
    name: 'a message that is too dear',
    schema: spec({ type: 'string', ...rule("self == 'a'", { messageExpression: "self.replace('', self)" }) }),
  },
  {
    name: 'a dear message of many values',
    schema: spec({
      type: 'array',
      items: { type: 'string', maxLength: 10, ...rule('true', { messageExpression: 'self + self' }) },
    }),
  },
]

import { describe, expect, it } from 'vitest'
import type { Schema } from '../schema/schema.ts'
import { CelCostError, CelError } from './cel-error.ts'
import { compileExpression } from './compile-expression.ts'
import { CostMeter } from './cost.ts'
import { evaluateRules } from './rules.ts'

const evaluate = (text: string, limit = 1_000_000): unknown => {
  const result = compileExpression(text, {})
  if (!result.ok) throw new Error(result.issues.map(({ message }) => message).join('\n'))
  return result.expression.evaluate({}, new CostMeter(limit))
}

describe('an expression', () => {
  it.each([
    ['7 / 2', 3n],
    ['-7 % 3', -1n],
    ["'hällo'.size()", 5n],
    ["'abc'.charAt(1)", 'b'],
    ["quantity('1Gi').compareTo(quantity('1024Mi'))", 0n],
    ["cidr('10.0.0.0/8').containsIP('10.1.2.3')", true],
    ["url('https://a:80/b').getPort()", '80'],
    ["semver('1.0.0-a').isLessThan(semver('1.0.0'))", true],
    ['[3, 1, 2].max()', 3n],
    ['{"a": 1}.?b.orValue(7)', 7n],
    ['optional.of(1).orValue(1 / 0)', 1n],
    ['[1, 2].transformList(i, v, i + v).sum()', 4n],
    ["format.named('dns1123Label').value().validate('a-b').hasValue()", false],
  ])('%s is %s', (text, value) => {
    expect(evaluate(text)).toEqual(value)
  })

  it('that faults says why', () => {
    expect(() => evaluate('1 / 0')).toThrow(new CelError('division by zero'))
  })

  it('matches patterns in linear time', () => {
    expect(evaluate(`'${'a'.repeat(2000)}!'.matches('^(a+)+$')`)).toBe(false)
  })

  it('ends when its budget does', () => {
    const list = `[${Array.from({ length: 100 }, () => '1').join()}]`
    const text = `${list}.all(a, ${list}.all(b, ${list}.all(c, a == b && b == c)))`
    expect(() => evaluate(text, 20_000)).toThrow(CelCostError)
  })

  it('that nests too deeply is refused, not followed', () => {
    for (const text of [`${'!'.repeat(60_000)}true`, '('.repeat(60_000), '[1]'.concat('.map(x, x)'.repeat(5000))]) {
      expect(compileExpression(text, {}).ok).toBe(false)
    }
  })

  it('that doubles a text again and again runs out of budget, not of memory', () => {
    let text = "'aaaaaaaaaa'"
    for (let step = 0; step < 12; step += 1) text = `${text}.replace('a', 'aaaaaaaaaa')`
    expect(() => evaluate(text, 20_000)).toThrow(CelCostError)
  })
})

const rule = (text: string): Schema => ({ type: 'integer', 'x-kubernetes-validations': [{ rule: text }] })

describe('rules', () => {
  it('share one budget for a request, and end with it', () => {
    // Each costs nearly what one rule may: 940 times 940 units.
    const rules = Array.from({ length: 12 }, () => ({ rule: 'self.contains(self)' }))
    const schema: Schema = {
      type: 'object',
      properties: { text: { type: 'string', 'x-kubernetes-validations': rules } },
    }
    const errors = evaluateRules({ schema, value: { text: 'a'.repeat(9400) } })
    expect(errors).toHaveLength(1)
    expect(errors[0]?.message).toContain('no further validation rules will be run')
  })

  it('see metadata as names only', () => {
    const schema: Schema = {
      type: 'object',
      properties: { metadata: { type: 'object' } },
      'x-kubernetes-validations': [{ rule: "self.metadata.name == 'a'" }, { rule: "self.metadata.labels.a == 'b'" }],
    }
    const errors = evaluateRules({ schema, value: { metadata: { name: 'a', labels: { a: 'b' } } } })
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('compilation failed')])
  })

  it('hold for fields with names of object methods', () => {
    const names = ['constructor', 'hasOwnProperty', 'toString']
    const schema: Schema = {
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, rule('self > 1')])),
      'x-kubernetes-validations': names.map((name) => ({ rule: `!has(self.${name}) || self.${name} > 1` })),
    }
    expect(evaluateRules({ schema, value: {} })).toEqual([])
    expect(evaluateRules({ schema, value: { constructor: 1, toString: 2 } })).toHaveLength(2)
  })
})

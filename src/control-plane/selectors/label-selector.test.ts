import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseLabelSelector } from './label-selector.ts'
import { SelectorError } from './selector-error.ts'

const LABELS = { app: 'web', tier: 'front', 'example.com/n': '7', empty: '' }

describe('parseLabelSelector', () => {
  it.each([
    ['', true],
    ['app=web', true],
    ['app==web', true],
    ['app=db', false],
    ['app!=db', true],
    ['missing!=x', true],
    ['app!=web', false],
    ['app in (web,db)', true],
    ['app in (db)', false],
    ['missing in (a)', false],
    ['app notin (db)', true],
    ['missing notin (a)', true],
    ['app notin (web)', false],
    ['app', true],
    ['missing', false],
    ['!missing', true],
    ['!app', false],
    ['empty=', true],
    ['empty in ()', true],
    ['app=', false],
    ['example.com/n>6,example.com/n<8', true],
    ['example.com/n>7', false],
    ['app>1', false],
    ['app=web,tier=back', false],
    ['  app = web , tier in ( front ) ', true],
    ['in in (in)', false],
    ['constructor', false],
  ])('%j matches the labels: %s', (text, expected) => {
    expect(parseLabelSelector(text).matches(LABELS)).toBe(expected)
  })

  it('treats absent labels as none', () => {
    expect(parseLabelSelector('app').matches(undefined)).toBe(false)
    expect(parseLabelSelector('!app').matches(undefined)).toBe(true)
  })

  it.each([
    ['b in (x,,y),!c,a==1 , d notin (), e', 'a==1,b in (,x,y),!c,d notin (),e'],
    ['b=1,a', 'a,b=1'],
    ['notin,in', 'in,notin'],
  ])('prints %j in normal form', (text, printed) => {
    expect(parseLabelSelector(text).text).toBe(printed)
  })

  it.each([
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['x,,', "found ',', expected: identifier after ','"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['=a', "found '=', expected: !, identifier, or 'end of string'"],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    [
      `a=${'x'.repeat(64)}`,
      `unable to parse requirement: values[0][a]: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`,
    ],
  ])('refuses %j, saying why', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(new SelectorError(message))
  })

  it.each(['-a=b', 'a/b/c', '/a', 'A_b/c', 'a=b/c', 'é', 'a in (-)', `${'x'.repeat(64)}`])(
    'refuses the syntax of %j',
    (text) => {
      expect(() => parseLabelSelector(text)).toThrow(SelectorError)
    },
  )

  it('parses what it prints to the same selector', () => {
    const word = fc.constantFrom('a', 'b', 'in', 'x.y/z', 'A-1', '0')
    const values = fc.uniqueArray(fc.constantFrom('', 'v', 'in', '1'), { minLength: 1, maxLength: 3 })
    const requirement = fc.oneof(
      word,
      word.map((key) => `!${key}`),
      fc
        .tuple(word, fc.constantFrom('=', '==', '!='), fc.constantFrom('', 'v', 'notin'))
        .map((parts) => parts.join('')),
      fc.tuple(word, fc.constantFrom('in', 'notin'), values).map(([key, op, list]) => `${key} ${op} (${list})`),
    )
    const labels = fc.dictionary(word, fc.constantFrom('', 'v', '1', 'in'))
    fc.assert(
      fc.property(fc.array(requirement, { maxLength: 4 }), labels, (requirements, set) => {
        const once = parseLabelSelector(requirements.join(' , '))
        const twice = parseLabelSelector(once.text)
        expect(twice.text).toBe(once.text)
        expect(twice.matches(set)).toBe(once.matches(set))
      }),
      { numRuns: 200, seed: 7 },
    )
  })

  it('takes linear time on a long hostile selector', () => {
    expect(() => parseLabelSelector('('.repeat(200_000))).toThrow(SelectorError)
    expect(() => parseLabelSelector(`a in (${','.repeat(200_000)}`)).toThrow(SelectorError)
  })
})

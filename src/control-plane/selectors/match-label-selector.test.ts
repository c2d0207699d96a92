import { describe, expect, it } from 'vitest'
import { labelSelectorMatches, type ObjectLabelSelector } from './match-label-selector.ts'

const LABELS = { app: 'web', tier: 'front' }
const expression = (key: string, operator: string, ...values: string[]): ObjectLabelSelector => ({
  matchExpressions: [{ key, operator, values }],
})

describe('labelSelectorMatches', () => {
  it.each<[string, ObjectLabelSelector | undefined, boolean]>([
    ['no selector selects nothing', undefined, false],
    ['an empty selector selects everything', {}, true],
    ['every label must be equal', { matchLabels: { app: 'web', tier: 'front' } }, true],
    ['one different label is enough to fail', { matchLabels: { app: 'web', tier: 'back' } }, false],
    ['In wants one of the values', expression('app', 'In', 'db', 'web'), true],
    ['In fails without the label', expression('x', 'In', 'web'), false],
    ['NotIn holds without the label', expression('x', 'NotIn', 'web'), true],
    ['NotIn fails on one of the values', expression('app', 'NotIn', 'web'), false],
    ['Exists wants the label', expression('app', 'Exists'), true],
    ['DoesNotExist wants no label', expression('app', 'DoesNotExist'), false],
    ['an unknown operator matches nothing', expression('app', 'Like', 'w*'), false],
    ['inherited properties are not labels', expression('toString', 'Exists'), false],
    ['labels and expressions must both hold', { matchLabels: { app: 'web' }, ...expression('tier', 'Exists') }, true],
  ])('%s', (_rule, selector, expected) => {
    expect(labelSelectorMatches(selector, LABELS)).toBe(expected)
  })
})

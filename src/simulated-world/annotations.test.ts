import { describe, expect, it } from 'vitest'
import { durationMs } from './annotations.ts'
import { resolveTimings } from './engine/timings.ts'
import { nodeSpecs, renderNode } from './node-spec.ts'
import { quantityOf, resolveIntOrPercent } from './objects/numbers.ts'
import { selectorMatches } from './objects/selector.ts'
import { tolerates } from './objects/taints.ts'
import { sameTemplate, templateHash } from './objects/template-hash.ts'
import { template } from './testing/objects.ts'

describe('what the simulated world reads', () => {
  it.each([
    ['500ms', 500],
    ['2s', 2_000],
    ['1m30s', 90_000],
    ['1.5s', 1_500],
    ['0s', 0],
    ['soon', undefined],
    ['5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('the duration %s is %s', (text, ms) => {
    expect(durationMs(text)).toBe(ms)
  })

  it.each([
    ['500m', 0.5],
    ['2', 2],
    ['1Ki', 1024],
    ['1.5Gi', 1.5 * 1024 ** 3],
    ['3k', 3_000],
    ['many', 0],
    [undefined, 0],
  ])('the quantity %s is %s', (text, value) => {
    expect(quantityOf(text)).toBe(value)
  })

  it.each([
    [2, 10, 'up', 2],
    ['25%', 10, 'up', 3],
    ['25%', 10, 'down', 2],
    ['3', 10, 'up', 3],
    ['x', 10, 'up', 0],
  ] as const)('%s of %s rounded %s is %s', (value, total, round, count) => {
    expect(resolveIntOrPercent(value, total, round)).toBe(count)
  })

  it.each([
    [{ matchLabels: { a: '1' } }, true],
    [{ matchLabels: { a: '2' } }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['1', '2'] }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['1'] }] }, false],
    [{ matchExpressions: [{ key: 'b', operator: 'NotIn', values: ['1'] }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }, true],
    [{ matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] }, false],
    [{ matchExpressions: [{ key: 'a', operator: 'Odd' }] }, false],
    [{}, true],
    [undefined, false],
  ])('the selector %o on a=1: %s', (selector, matches) => {
    expect(selectorMatches(selector, { a: '1' })).toBe(matches)
  })

  it.each([
    [{ key: 'k', operator: 'Exists' }, true],
    [{ key: 'k', operator: 'Equal', value: 'v' }, true],
    [{ key: 'k', value: 'other' }, false],
    [{ operator: 'Exists' }, true],
    [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }, false],
    [{}, false],
  ])('the toleration %o of k=v:NoSchedule: %s', (toleration, is) => {
    expect(tolerates(toleration, { key: 'k', value: 'v', effect: 'NoSchedule' })).toBe(is)
  })

  it('templates are the same whatever the order of their fields and their hash label', () => {
    const a = template('app:1', { app: 'x', b: '1' })
    const b = template('app:1', { b: '1', app: 'x', 'pod-template-hash': 'abc' })
    expect(sameTemplate(a, b)).toBe(true)
    expect(sameTemplate(a, template('app:2', { app: 'x', b: '1' }))).toBe(false)
    expect(templateHash(a)).toBe(templateHash(template('app:1', { b: '1', app: 'x' })))
    expect(templateHash(a)).toMatch(/^[b-z2-9]{10}$/)
  })

  it('a number of nodes is sim-1 to sim-N; others are refused', () => {
    expect(nodeSpecs(2)).toEqual([{ name: 'sim-1' }, { name: 'sim-2' }])
    expect(() => nodeSpecs(-1)).toThrow(RangeError)
    expect(() => nodeSpecs(0.5)).toThrow(RangeError)
    expect(renderNode({ name: 'a', zone: 'z' }).metadata.labels).toMatchObject({ 'topology.kubernetes.io/zone': 'z' })
  })

  it('timings that make no sense are refused', () => {
    expect(() => resolveTimings({ bootDelayMs: -1 })).toThrow(RangeError)
    expect(() => resolveTimings({ bootDelayMs: Number.NaN })).toThrow(RangeError)
  })
})

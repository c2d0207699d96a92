import { describe, expect, it } from 'vitest'
import { type PolicyRule, ruleAllows } from './policy-rule.ts'

const user = { name: 'u', groups: [] }
const about = (verb: string, path: string, extra: { group?: string; name?: string } = {}) => {
  const [plural = '', subresource] = path.split('/')
  const { group = '', name } = extra
  return {
    user,
    verb,
    resource: {
      group,
      version: 'v1',
      plural,
      ...(subresource !== undefined && { subresource }),
      ...(name !== undefined && { name }),
    },
  }
}
const rule = (resources: string[], extra: Partial<PolicyRule> = {}): PolicyRule => ({
  verbs: ['get'],
  apiGroups: [''],
  resources,
  ...extra,
})

describe('ruleAllows', () => {
  it.each([
    ['the resource itself', rule(['pods']), about('get', 'pods'), true],
    ['no other verb', rule(['pods']), about('list', 'pods'), false],
    ['every verb with a star', rule(['pods'], { verbs: ['*'] }), about('list', 'pods'), true],
    ['no other group', rule(['pods']), about('get', 'pods', { group: 'apps' }), false],
    ['every group with a star', rule(['pods'], { apiGroups: ['*'] }), about('get', 'pods', { group: 'apps' }), true],
    ['no subresource of a resource', rule(['pods']), about('get', 'pods/log'), false],
    ['a named subresource', rule(['pods/log']), about('get', 'pods/log'), true],
    ['not the resource of a subresource', rule(['pods/log']), about('get', 'pods'), false],
    ['a subresource of every resource', rule(['*/scale']), about('get', 'deployments/scale'), true],
    ['no resource by `*/scale`', rule(['*/scale']), about('get', 'scale'), false],
    ['nothing by `pods/*`', rule(['pods/*']), about('get', 'pods/log'), false],
    ['everything with a star, subresources too', rule(['*']), about('get', 'pods/log'), true],
    ['a named object', rule(['pods'], { resourceNames: ['a'] }), about('get', 'pods', { name: 'a' }), true],
    ['no other object', rule(['pods'], { resourceNames: ['a'] }), about('get', 'pods', { name: 'b' }), false],
    ['no list when names are given', rule(['pods'], { resourceNames: ['a'] }), about('get', 'pods'), false],
    ['no path by a rule about resources', rule(['*']), { user, verb: 'get', path: '/x' }, false],
  ])('allows %s', (_what, given, attributes, allowed) => {
    expect(ruleAllows(given, attributes)).toBe(allowed)
  })

  it.each([
    ['/metrics', '/metrics', true],
    ['/metrics', '/metrics/x', false],
    ['/debug/*', '/debug/a/b', true],
    ['/debug/*', '/debug/', true],
    ['/debug/*', '/debug', false],
    ['/debug*', '/debug', true],
    ['*', '/anything', true],
    ['/a/*/b', '/a/x/b', false],
  ])('lets %s cover %s: %s', (pattern, path, allowed) => {
    expect(ruleAllows({ verbs: ['get'], nonResourceURLs: [pattern] }, { user, verb: 'get', path })).toBe(allowed)
  })
})

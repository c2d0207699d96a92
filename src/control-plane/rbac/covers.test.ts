import { describe, expect, it } from 'vitest'
import { describeGrains, uncovered } from './covers.ts'
import type { PolicyRule } from './policy-rule.ts'

const rule = (verbs: string, resources: string, group = '', names: string[] = []): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: [group],
  resources: resources.split(','),
  ...(names.length > 0 && { resourceNames: names }),
})
const lines = (held: PolicyRule[], wanted: PolicyRule[]) => describeGrains(uncovered(held, wanted))

describe('uncovered', () => {
  it.each<[string, PolicyRule[], PolicyRule[]]>([
    ['the same rule', [rule('get', 'pods')], [rule('get', 'pods')]],
    ['several rules together', [rule('get', 'pods'), rule('list', 'pods')], [rule('get,list', 'pods')]],
    ['stars', [rule('*', '*', '*')], [rule('get', 'pods/log', 'x')]],
    ['a subresource of all', [rule('get', '*/scale')], [rule('get', 'deployments/scale')]],
    ['all names one name', [rule('get', 'pods')], [rule('get', 'pods', '', ['a'])]],
    [
      'a prefix of URLs',
      [{ verbs: ['get'], nonResourceURLs: ['/a/*'] }],
      [{ verbs: ['get'], nonResourceURLs: ['/a/b/*'] }],
    ],
  ])('is nothing where %s cover', (_what, held, wanted) => {
    expect(lines(held, wanted)).toEqual([])
  })

  it('does not let one name, or one verb, stand for all', () => {
    expect(lines([rule('get', 'pods', '', ['a'])], [rule('get', 'pods')])).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ])
    expect(lines([rule('get', 'pods')], [rule('*', 'pods')])).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
    ])
  })

  it('is told in one line per resource and name, and per URL and verb, sorted', () => {
    const wanted = [
      rule('get,list', 'pods,nodes'),
      rule('get', 'pods', '', ['b', 'a']),
      { verbs: ['get', 'put'], nonResourceURLs: ['/x'] },
    ]
    expect(lines([], wanted)).toEqual([
      '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list"]}',
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
      '{NonResourceURLs:["/x"], Verbs:["put"]}',
    ])
  })
})

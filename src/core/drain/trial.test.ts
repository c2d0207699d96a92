import { describe, expect, it } from 'vitest'
import { podOf } from '../../../test/support/drain-grid.ts'
import type { Answer, EvictionAnswer } from './model.ts'
import type { Finding, NodePreview } from './preview.ts'
import type { RoomPod } from './room.ts'
import { describeTrials, podsToTry, trialFindings } from './trial.ts'

const pod = (name: string, owner: string): RoomPod => {
  const made = podOf('managed', name, name)
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }]
  return { ...made, metadata: { ...made.metadata, uid: name, ownerReferences } }
}

const preview = (node: string, evicts: readonly RoomPod[], findings: readonly Finding[] = []): NodePreview => ({
  node,
  evicts,
  stays: 0,
  findings,
})

const answers = (of: Readonly<Record<string, Answer>>): Map<string, EvictionAnswer> =>
  new Map(Object.entries(of).map(([uid, answer]) => [uid, { answer, message: `${answer} it is` }]))

describe('which evictions are tried', () => {
  const previews = [preview('n1', [pod('a1', 'a'), pod('a2', 'a')]), preview('n2', [pod('b1', 'b'), pod('a3', 'a')])]

  it('one of each workload first, then the rest, in the order of the nodes', () => {
    expect(podsToTry(previews).map(({ uid }) => uid)).toEqual(['a1', 'b1', 'a2', 'a3'])
  })

  it('so many at most', () => {
    expect(podsToTry(previews, 3).map(({ uid }) => uid)).toEqual(['a1', 'b1', 'a2'])
  })
})

describe('what the answers add', () => {
  it.each<[Answer, string | undefined, boolean]>([
    ['Accepted', undefined, false],
    ['Gone', undefined, false],
    ['Throttled', undefined, false],
    ['NoAnswer', undefined, false],
    ['Budget', 'ClosedBudget', false],
    ['Denied', 'Denied', false],
    ['ServerError', 'ServerError', false],
    ['Forbidden', 'Forbidden', true],
  ])('%s -> %s', (answer, kind, blocks) => {
    const found = trialFindings([preview('n1', [pod('a1', 'a')])], answers({ a1: answer }))
    const message = `default/a1: tried without carrying it out: ${answer} it is`
    expect(found).toEqual(
      kind === undefined ? [] : [{ kind, node: 'n1', pods: ['default/a1'], budgets: [], blocks, message }],
    )
  })

  it.each<[Answer, Finding['kind']]>([
    ['Budget', 'ZeroBudget'],
    ['Budget', 'ClosedBudget'],
    ['ServerError', 'SeveralBudgets'],
  ])('%s adds nothing to %s', (answer, kind) => {
    const known = { kind, node: 'n1', pods: ['default/a1'], budgets: [], blocks: true, message: '' }
    expect(trialFindings([preview('n1', [pod('a1', 'a')], [known])], answers({ a1: answer }))).toEqual([])
  })

  it('are counted in a sentence', () => {
    const previews = [preview('n1', [pod('a1', 'a'), pod('a2', 'a'), pod('a3', 'a')])]
    expect(describeTrials(previews, answers({ a1: 'Accepted', a2: 'Budget' }))).toBe(
      '2 of 3 evictions were tried on the API server without carrying them out: 1 would be refused now',
    )
    expect(describeTrials(previews, answers({ a1: 'Throttled' }))).toContain('1 had no answer, and no more were tried')
  })
})

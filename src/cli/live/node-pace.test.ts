import { describe, expect, test } from 'vitest'
import { createNodePace } from './node-pace.ts'
import type { OperationNodeView, OperationView } from './operation-view.ts'

const node = (name: string, more: Partial<OperationNodeView> = {}): OperationNodeView => ({
  name,
  group: 'workers',
  step: 'Draining',
  since: new Date(0).toISOString(),
  ...more,
})
const running = (...nodes: OperationNodeView[]): OperationView => ({
  name: 'rollout-1',
  cluster: 'demo',
  type: 'Rollout',
  phase: 'Running',
  ended: false,
  cancelRequested: false,
  nodes,
})
const estimates = ({ nodes }: OperationView) => nodes.map(({ estimateMs }) => estimateMs)

describe('the estimate of a node in flight', () => {
  test('is what the plan expects of its group, less the time that it has taken', () => {
    const pace = createNodePace({ workers: 60_000 })
    const both = running(node('a'), node('c', { group: 'control' }))
    pace.see(both, 0)
    expect(estimates(pace.estimated(both, 20_000))).toEqual([40_000, undefined])
  })

  test('is what those before it took, once there are some', () => {
    const pace = createNodePace({ workers: 60_000 })
    pace.see(running(node('a')), 0)
    const next = running(node('b', { since: new Date(10_000).toISOString() }))
    pace.see(next, 10_000)
    expect(estimates(pace.estimated(next, 13_000))).toEqual([7_000])
  })

  test('is nothing when it is used up, when nothing is known, and for a node that failed', () => {
    const pace = createNodePace({ workers: 5_000 })
    const late = running(node('a'), node('b', { step: 'Failed' }), node('c', { group: 'other' }))
    pace.see(late, 0)
    expect(estimates(pace.estimated(late, 5_000))).toEqual([undefined, undefined, undefined])
  })

  test('of the server goes first', () => {
    const pace = createNodePace({ workers: 60_000 })
    const known = running(node('a', { estimateMs: 9_000 }))
    pace.see(known, 0)
    expect(estimates(pace.estimated(known, 0))).toEqual([9_000])
  })

  test('does not learn from a run that failed', () => {
    const pace = createNodePace()
    pace.see(running(node('a')), 0)
    pace.see({ ...running(), ended: true, phase: 'Failed' }, 2_000)
    const next = running(node('b'))
    pace.see(next, 2_000)
    expect(estimates(pace.estimated(next, 2_000))).toEqual([undefined])
  })
})

import { describe, expect, test } from 'vitest'
import { createChangeLog } from './describe-change.ts'
import type { OperationNodeView, OperationView } from './operation-view.ts'

const node = (name: string, step: OperationNodeView['step'], waitingFor?: string): OperationNodeView => ({
  name,
  group: 'workers',
  step,
  since: '2026-01-02T10:00:00Z',
  ...(waitingFor === undefined ? {} : { waitingFor }),
})
const operation = (
  done: number,
  nodes: readonly OperationNodeView[],
  more: Partial<OperationView> = {},
): OperationView => ({
  name: 'demo-x1',
  cluster: 'demo',
  type: 'Rollout',
  phase: 'Running',
  ended: more.phase !== undefined && more.phase !== 'Pending',
  cancelRequested: false,
  progress: { total: 2, done, outOfDate: 2 - done, inFlight: 0, failed: 0, skipped: 0 },
  nodes,
  ...more,
})

describe('the log of an operation', () => {
  test('tells phase, steps, progress and the end, each once', () => {
    const log = createChangeLog()
    const told = [
      operation(0, [], { phase: 'Pending' }),
      operation(0, [node('a', 'Draining', 'pod x')], { eta: new Date(61_000).toISOString() }),
      operation(0, [node('a', 'Draining', 'pod x')], { eta: new Date(61_000).toISOString() }),
      operation(0, [node('a', 'Starting')]),
      operation(1, [node('b', 'Draining')]),
      operation(2, [node('b', 'Verifying')], { phase: 'Succeeded' }),
    ].map((one, index) => log.push(one, index * 1000))
    expect(told).toEqual([
      ['demo: Rollout demo-x1 is Pending, 0/2 done'],
      ['demo: Rollout demo-x1 is Running, 0/2 done, about 1m left', 'a: Draining, waits for: pod x'],
      [],
      ['a: Starting'],
      ['demo: 1/2 done', 'a: done', 'b: Draining'],
      ['demo: Rollout demo-x1 is Succeeded, 2/2 done', 'b: done'],
    ])
  })

  test('what a node waits for is told again when it changed, and not with every attempt', () => {
    const log = createChangeLog()
    const push = (waitingFor: string, at: number) => log.push(operation(0, [node('a', 'Draining', waitingFor)]), at)
    push('3 pods', 0)
    expect(push('2 pods', 5_000)).toEqual([])
    expect(push('1 pod', 15_000)).toEqual(['a: Draining, waits for: 1 pod'])
    expect(push('1 pod', 60_000)).toEqual([])
  })

  test('a pause is told when it begins, with its reason; a cancel when it is asked for', () => {
    const log = createChangeLog()
    log.push(operation(0, []), 0)
    const paused = operation(0, [], { message: 'paused: control-2 is not Ready' })
    expect(log.push(paused, 1)).toEqual(['demo: paused: control-2 is not Ready'])
    expect(log.push(paused, 2)).toEqual([])
    expect(log.push(operation(0, [], { cancelRequested: true }), 3)).toEqual([
      'demo: cancel requested: it ends after the nodes in flight',
    ])
  })

  test('a node that failed is not called done', () => {
    const log = createChangeLog()
    log.push(operation(0, [node('a', 'Draining')]), 0)
    expect(log.push(operation(0, [node('a', 'Failed')]), 1)).toEqual(['a: Failed'])
    expect(log.push(operation(0, [], { phase: 'Failed' }), 2)).toEqual(['demo: Rollout demo-x1 is Failed, 0/2 done'])
  })
})

import { describe, expect, test } from 'vitest'
import { plainText, widthOf } from './line.ts'
import type { OperationNodeView, OperationView } from './operation-view.ts'
import { renderOperation, type ScreenView } from './render-operation.ts'

const NOW = Date.parse('2026-01-02T10:00:00Z')
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString()
const SIZE = { rows: 24, columns: 120 }

const node = (name: string, more: Partial<OperationNodeView> = {}): OperationNodeView => ({
  name,
  group: 'workers',
  step: 'Draining',
  since: ago(12),
  ...more,
})
const operation = (more: Partial<OperationView> = {}): OperationView => ({
  name: 'demo-x1',
  cluster: 'demo',
  type: 'Rollout',
  phase: 'Running',
  ended: false,
  cancelRequested: false,
  state: 'Updating',
  startedAt: ago(133),
  progress: { total: 8, done: 3, outOfDate: 4, inFlight: 2, failed: 0, skipped: 1 },
  nodes: [
    node('worker-1', {
      waitingFor: 'node worker-1: default/web-1 (PodDisruptionBudget default/web)',
      estimateMs: 40_000,
    }),
    node('worker-22', { step: 'Starting', since: ago(3) }),
  ],
  eta: ago(-125),
  ...more,
})
const lines = (view: Partial<ScreenView> = {}, size = SIZE): string[] =>
  renderOperation({ operation: operation(), notes: [], ...view }, NOW, size).map(plainText)

describe('the screen of an operation', () => {
  test('has cluster, state, operation, progress, times, and a line for each node in flight', () => {
    const shown = lines({ footer: 'Ctrl-C stops watching' })
    expect(shown[0]).toBe('demo  Updating  Rollout demo-x1  Running')
    expect(shown[1]).toMatch(
      /^\[#######\+\+\+\+\+\.{8}\] 3\/8 done, 2 in flight, 1 left out, 2m 13s so far, about 2m 5s left \(.*:02:05\)$/,
    )
    expect(shown.slice(2)).toEqual([
      '  NODE       GROUP    STEP      FOR  LEFT  WAITS FOR',
      '  worker-1   workers  Draining  12s  ~40s  default/web-1 (PodDisruptionBudget default/web)',
      '  worker-22  workers  Starting  3s',
      'Ctrl-C stops watching',
    ])
  })

  test('of one that has ended says how long it took, and of one that is asked to end, that it is', () => {
    expect(
      lines({ operation: operation({ phase: 'Succeeded', ended: true, endedAt: ago(10), nodes: [] }) }).join('\n'),
    ).toContain('took 2m 3s')
    expect(lines({ operation: operation({ cancelRequested: true }) })[0]).toContain('Running, cancel requested')
  })

  test('a clock that differs from the server shows no negative times', () => {
    const ahead = operation({ nodes: [node('worker-1', { since: ago(-30) })] })
    expect(lines({ operation: ahead }).join('\n')).toContain('Draining  0s')
  })

  test('what a server sends cannot steer the terminal', () => {
    const hostile = operation({ message: 'paused: \u001b[2Jgone\nnext\u009b1A' })
    expect(lines({ operation: hostile }).join('|')).toContain('paused:  [2Jgone next 1A')
  })

  const many = Array.from({ length: 50 }, (_, index) => node(`worker-${index}`, index > 30 ? { step: 'Starting' } : {}))
  const notes = Array.from({ length: 9 }, (_, index) => ({
    reason: 'NodeDone',
    message: `worker-${index} is done`,
    level: 'Info' as const,
    at: NOW - index * 1000,
  }))

  test.each([3, 5, 8, 24, 60])('of 50 nodes and 9 notes fits %i rows', (rows) => {
    const shown = lines({ operation: operation({ nodes: many }), notes, footer: 'x' }, { rows, columns: 80 })
    expect(shown.length).toBeLessThanOrEqual(rows)
  })

  test('nodes that do not fit are counted by their steps', () => {
    expect(lines({ operation: operation({ nodes: many }) }, { rows: 10, columns: 80 }).at(-1)).toBe(
      '  and 44 more: 25 Draining, 19 Starting',
    )
  })

  test('notes are the last ones, and make room for the nodes', () => {
    const shown = lines({ notes }, { rows: 9, columns: 80 })
    expect(shown.filter((line) => line.includes('is done'))).toHaveLength(4)
    expect(shown.at(-1)).toContain('NodeDone  worker-8 is done')
  })

  test('a narrow window has no bar', () => {
    expect(lines({}, { rows: 24, columns: 60 })[1]).toMatch(/^3\/8 done/)
    expect(renderOperation({ operation: operation(), notes: [] }, NOW, SIZE).every((line) => widthOf(line) > 0)).toBe(
      true,
    )
  })
})

import { describe, expect, it } from 'vitest'
import { type KStatusCondition, kstatus } from './kstatus.ts'

const on = (type: string, status = 'True'): KStatusCondition => ({ type, status })
const seen = (...conditions: KStatusCondition[]) => ({
  metadata: { generation: 2 },
  status: { observedGeneration: 2, conditions },
})

describe('kstatus', () => {
  it.each([
    ['nothing', undefined, 'NotFound'],
    [
      'a deleted object',
      { ...seen(on('Ready')), metadata: { generation: 2, deletionTimestamp: 'now' } },
      'Terminating',
    ],
    ['a status of an older spec', { ...seen(on('Ready')), metadata: { generation: 3 } }, 'InProgress'],
    ['Reconciling', seen(on('Ready'), on('Reconciling')), 'InProgress'],
    ['Stalled', seen(on('Ready', 'False'), on('Stalled')), 'Failed'],
    ['Reconciling and Stalled', seen(on('Stalled'), on('Reconciling')), 'InProgress'],
    ['Ready False', seen(on('Ready', 'False')), 'InProgress'],
    ['Ready Unknown', seen(on('Ready', 'Unknown')), 'InProgress'],
    ['Ready', seen(on('Ready')), 'Current'],
    ['Reconciling False', seen(on('Ready'), on('Reconciling', 'False')), 'Current'],
    ['no status at all', { metadata: { generation: 1 } }, 'Current'],
  ] as const)('%s: %s is %s', (_what, object, expected) => {
    expect(kstatus(object)).toBe(expected)
  })
})

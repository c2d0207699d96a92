import { describe, expect, it } from 'vitest'
import type { PoolAction } from './action.ts'
import { writeOrder } from './write-order.ts'

const create = (index: number): PoolAction => ({
  kind: 'CreateInstance',
  name: `pool-a-${index}`,
  index,
  specHash: 'hash',
  specHashVersion: 1,
})

describe('a plan is carried out', () => {
  it('status first, then one act after the other, new members last and at most eight at once', () => {
    const actions = [create(1), { kind: 'AddFinalizer' } as const, ...[2, 3, 4, 5, 6, 7, 8, 9].map(create)]
    const steps = writeOrder({ actions, notes: [], status: {} as never })
    expect(steps.map((step) => step.map(({ kind }) => kind))).toEqual([
      ['WriteStatus'],
      ['AddFinalizer'],
      Array.from({ length: 8 }, () => 'CreateInstance'),
      ['CreateInstance'],
    ])
  })
})

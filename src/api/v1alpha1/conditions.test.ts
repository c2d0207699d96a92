import { describe, expect, it } from 'vitest'
import { type Condition, findCondition, isConditionTrue, removeCondition, setCondition } from './conditions.ts'
import { Reason } from './reasons.ts'

const T0 = Date.UTC(2026, 0, 1)
const T1 = T0 + 60_000
const ready = { type: 'Ready', status: 'True', reason: Reason.AtTarget, message: '' } as const
const stalled: Condition = { type: 'Stalled', status: 'True', reason: 'x', message: '', lastTransitionTime: 'then' }

describe('setCondition', () => {
  it('adds a condition with the present time', () => {
    expect(setCondition(undefined, ready, T0)).toEqual([{ ...ready, lastTransitionTime: '2026-01-01T00:00:00Z' }])
  })

  it('moves the time when the status flips, and keeps its place', () => {
    const before = [...setCondition([], ready, T0), stalled]
    const after = setCondition(before, { ...ready, status: 'False', reason: Reason.Failing }, T1)
    expect(after.map((condition) => condition.type)).toEqual(['Ready', 'Stalled'])
    expect(after[0]).toMatchObject({ status: 'False', lastTransitionTime: '2026-01-01T00:01:00Z' })
    expect(after[1]).toBe(stalled)
  })

  it('keeps the time when only the reason, the message or the generation changes', () => {
    const before = setCondition([], ready, T0)
    const after = setCondition(before, { ...ready, reason: 'Other', message: 'm', observedGeneration: 2 }, T1)
    expect(after).toEqual([
      { ...ready, reason: 'Other', message: 'm', observedGeneration: 2, lastTransitionTime: '2026-01-01T00:00:00Z' },
    ])
  })

  it('leaves its input as it was', () => {
    const before = Object.freeze(setCondition([], ready, T0).map((condition) => Object.freeze(condition)))
    setCondition(before, { ...ready, status: 'Unknown' }, T1)
    expect(before[0]?.status).toBe('True')
  })
})

describe('conditions', () => {
  it('are found, tested and removed by type', () => {
    expect(findCondition([stalled], 'Stalled')).toBe(stalled)
    expect(isConditionTrue([stalled], 'Stalled')).toBe(true)
    expect(isConditionTrue(undefined, 'Stalled')).toBe(false)
    expect(removeCondition([stalled], 'Stalled')).toEqual([])
    expect(removeCondition(undefined, 'Stalled')).toEqual([])
  })
})

describe('Reason', () => {
  it('spells each code like its name, in CamelCase', () => {
    for (const [name, code] of Object.entries(Reason)) {
      expect(code).toBe(name)
      expect(code).toMatch(/^[A-Z][A-Za-z]+$/)
    }
  })
})

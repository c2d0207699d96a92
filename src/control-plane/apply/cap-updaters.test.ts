import { describe, expect, it } from 'vitest'
import { capUpdaters } from './cap-updaters.ts'
import { Manager, type ManagerId, type Managers, managerKey } from './managed-fields.ts'

const manager = (name: string, second: number, change: Partial<ManagerId> = {}): Manager => {
  const id: ManagerId = { manager: name, operation: 'Update', apiVersion: 'v1', subresource: '', ...change }
  const time = `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`
  return new Manager(id, time, { [`f:${name}`]: {} })
}
const listOf = (all: readonly Manager[]): Managers => new Map(all.map((one) => [managerKey(one), one]))
const names = (managers: Managers): string[] => [...managers.values()].map((one) => one.manager).sort()
const writers = (count: number): Manager[] => Array.from({ length: count }, (_, index) => manager(`w${index}`, index))

describe('the list of updaters', () => {
  it('keeps ten apart', () => {
    const ten = listOf(writers(10))
    expect(capUpdaters(ten)).toBe(ten)
  })

  it('remembers the two oldest of eleven together, with the fields of both and the later time', () => {
    const capped = capUpdaters(listOf(writers(11)))
    expect(names(capped)).toEqual(['ancient-changes', ...names(listOf(writers(11).slice(2)))])
    const bucket = [...capped.values()].find((one) => one.manager === 'ancient-changes')
    expect(bucket?.toJson()).toMatchObject({ time: '2026-01-01T00:00:01Z', fieldsV1: { 'f:w0': {}, 'f:w1': {} } })
  })

  it('pours further ones into the same bucket', () => {
    const once = capUpdaters(listOf(writers(11)))
    const again = capUpdaters(new Map([...once, ...listOf([manager('late', 30)])]))
    expect(again.size).toBe(10)
    expect(names(again)).not.toContain('w2')
  })

  it('does not count appliers, nor loses one', () => {
    const appliers = Array.from({ length: 12 }, (_, index) => manager(`a${index}`, 0, { operation: 'Apply' }))
    const all = listOf([...appliers, ...writers(10)])
    expect(capUpdaters(all)).toBe(all)
  })

  it('pours only writers of one version together', () => {
    const others = ['v1', 'v2', 'v3'].map((apiVersion, index) => manager('old', index, { apiVersion }))
    const capped = capUpdaters(listOf([...others, ...writers(9).map((_, index) => manager(`n${index}`, 20 + index))]))
    const buckets = [...capped.values()].filter((one) => one.manager === 'ancient-changes')
    expect(buckets.map((one) => one.apiVersion)).toEqual(['v1'])
    expect(capped.size).toBe(10)
  })
})

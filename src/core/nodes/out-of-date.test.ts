import { describe, expect, it } from 'vitest'
import { aMember } from '../testing/node-builders.ts'
import type { Settings } from './model.ts'
import { changesOf, outOfDate, restorable } from './out-of-date.ts'

const machine = (settings: Settings) => aMember('w1', { machine: { settings } }).machine!

const has: Settings = { offering: 'v1', rootDiskSizeGB: 40, affinityGroups: ['a', 'b'], image: 'i1' }

describe('C12: out of date', () => {
  it.each<[string, Settings, Settings, string[]]>([
    ['another offering', has, { offering: 'v2' }, ['offering v1, wanted v2']],
    ['a smaller disk', has, { rootDiskSizeGB: 50 }, ['root disk of 40 GB, wanted 50 GB']],
    ['a larger disk is fine', has, { rootDiskSizeGB: 30 }, []],
    ['other affinity groups', has, { affinityGroups: ['a'] }, ['affinity groups a, b, wanted a']],
    ['affinity groups in another order are the same', has, { affinityGroups: ['b', 'a'] }, []],
    ['a group twice is once', has, { affinityGroups: ['b', 'a', 'a'] }, []],
    ['no affinity groups wanted at all', has, { affinityGroups: [] }, ['affinity groups a, b, wanted none']],
    ['no recorded affinity groups leave those of the machine', has, { offering: 'v1' }, []],
    ['what the provider does not know is not compared', {}, { offering: 'v2', rootDiskSizeGB: 50 }, []],
    ['images are not compared', has, { image: 'i2' }, []],
    [
      'everything at once, every reason',
      has,
      { offering: 'v2', rootDiskSizeGB: 50, affinityGroups: [] },
      ['offering v1, wanted v2', 'root disk of 40 GB, wanted 50 GB', 'affinity groups a, b, wanted none'],
    ],
  ])('C12: %s', (_name, settings, wanted, reasons) => {
    expect(outOfDate(machine(settings), wanted)).toEqual(reasons)
  })

  it('C12: dedication groups are not among the groups that are compared', () => {
    const dedicated = { ...machine(has), dedicationGroups: ['dedicated'] }
    expect(outOfDate(dedicated, { affinityGroups: ['a', 'b'] })).toEqual([])
  })
})

describe('C6: what a restart changes', () => {
  it('C6: an image is never part of it', () => {
    expect(changesOf(machine(has), { offering: 'v2', image: 'i2' })).toEqual({ offering: 'v2' })
  })

  it('nothing, when nothing differs', () => {
    expect(changesOf(machine(has), { offering: 'v1', image: 'i2' })).toEqual({})
  })

  it('what can be put back does not include a disk: it has grown', () => {
    expect(restorable(has)).toEqual({ offering: 'v1', affinityGroups: ['a', 'b'] })
  })
})

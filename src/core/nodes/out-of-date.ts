/** Whether a machine differs from what its group wants [C]. */
import type { MachineFacts, Settings } from './model.ts'

/**
 * Why a restart would change the machine, in words; empty when it would not. A disk that is larger than wanted is fine, and
 * so is whatever the group does not say or the provider does not know. Images are not compared: a restart never changes them.
 * Groups that dedicate hosts are not among `affinityGroups`.
 */
export function outOfDate(machine: MachineFacts | undefined, wanted: Settings): string[] {
  if (machine === undefined) return []
  return DIFFERENCES.flatMap((difference) => difference(machine.settings, wanted) ?? [])
}

type Difference = (has: Settings, wanted: Settings) => string | undefined

const DIFFERENCES: readonly Difference[] = [
  function offering(has, wanted) {
    if (wanted.offering === undefined || has.offering === undefined || has.offering === wanted.offering)
      return undefined
    return `offering ${has.offering}, wanted ${wanted.offering}`
  },
  function rootDisk(has, wanted) {
    if (wanted.rootDiskSizeGB === undefined || has.rootDiskSizeGB === undefined) return undefined
    if (has.rootDiskSizeGB >= wanted.rootDiskSizeGB) return undefined
    return `root disk of ${has.rootDiskSizeGB} GB, wanted ${wanted.rootDiskSizeGB} GB`
  },
  function affinityGroups(has, wanted) {
    if (wanted.affinityGroups === undefined || has.affinityGroups === undefined) return undefined
    if (sameSet(has.affinityGroups, wanted.affinityGroups)) return undefined
    return `affinity groups ${listed(has.affinityGroups)}, wanted ${listed(wanted.affinityGroups)}`
  },
]

const listed = (groups: readonly string[]): string => (groups.length === 0 ? 'none' : [...groups].sort().join(', '))

export function sameSet(left: readonly string[], right: readonly string[]): boolean {
  const both = new Set(right)
  return left.length === both.size && left.every((group) => both.has(group))
}

/** The settings that a restart has to change, less what the machine has already. */
export function changesOf(machine: MachineFacts, wanted: Settings): Settings {
  const { image: _never, ...settings } = wanted
  return outOfDate(machine, wanted).length === 0 ? {} : settings
}

/** What can be put back when it cannot be started: a disk that has grown stays as it is. */
export const restorable = ({ offering, affinityGroups }: Settings): Settings => ({
  ...(offering === undefined ? {} : { offering }),
  ...(affinityGroups === undefined ? {} : { affinityGroups }),
})

/** Whether it has all of these settings, disks aside. */
export const hasSettings = (machine: MachineFacts, settings: Settings): boolean =>
  outOfDate(machine, restorable(settings)).length === 0

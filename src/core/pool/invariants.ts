/**
 * Invariants that a pass can check on what it sees, at no cost, and that nobody but us can break: a broken one is a defect, is
 * logged, and is counted in `kobe_invariant_violations_total`, which is always 0. The others are checked by the tests alone.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { PoolStatus } from '../../api/v1alpha1/cluster-pool.ts'
import type { PoolObserved } from './observed.ts'

export interface BrokenInvariant {
  /** `I1` or `I3` of the design. */
  readonly invariant: string
  readonly message: string
}

export const CHECKED_INVARIANTS = ['I1', 'I3'] as const

export function brokenInvariants({ instances }: PoolObserved, status: PoolStatus): BrokenInvariant[] {
  return [...oneMemberEach(instances), ...bucketsAddUp(instances, status)]
}

/** I1: a lease holds at most one member. */
function oneMemberEach(instances: readonly ClusterInstance[]): BrokenInvariant[] {
  const holders = new Map<string, string>()
  const broken: BrokenInvariant[] = []
  for (const { metadata, status } of instances) {
    const lease = status?.phase === 'Leased' ? status.leaseRef?.uid : undefined
    if (lease === undefined) continue
    const other = holders.get(lease)
    if (other !== undefined)
      broken.push({ invariant: 'I1', message: `one lease holds both ${other} and ${metadata.name}` })
    holders.set(lease, metadata.name ?? '')
  }
  return broken
}

/** I3: each member is in exactly one bucket. */
function bucketsAddUp(instances: readonly ClusterInstance[], status: PoolStatus): BrokenInvariant[] {
  const { ready, leased, creating, recycling, unhealthy, quarantined } = status
  const sum = ready + leased + creating + recycling + unhealthy + quarantined
  if (sum === instances.length) return []
  return [{ invariant: 'I3', message: `the buckets hold ${sum} members, there are ${instances.length}` }]
}

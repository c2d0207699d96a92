/**
 * What the passes over the waiting leases of one pool have in common: the order of the queue, who gets which free member, and
 * the members as a pool planner sees them. Each part is worked out when it is first asked for, so a view that is shared by a
 * whole queue costs what one lease would.
 */
import type { ClusterInstance } from '../../api/v1alpha1/cluster-instance.ts'
import type { ClusterLease } from '../../api/v1alpha1/cluster-lease.ts'
import type { ClusterPool } from '../../api/v1alpha1/cluster-pool.ts'
import { Reason } from '../../api/v1alpha1/reasons.ts'
import { once } from '../once.ts'
import { type Member, toMember } from '../pool/member.ts'
import { SPEC_HASH_VERSION } from '../pool/spec-hash.ts'
import { type Allowance, assign } from './assign.ts'
import { type Candidate, candidatesOf } from './candidates.ts'
import type { ProbeSeen } from './observed.ts'
import { queueOrder } from './queue.ts'

/** A member whose probe passed so recently is handed out without another. [ours] */
export const PROBE_FRESH_MS = 2_000

export interface QueueView {
  /** Place of the lease with that UID, 1 is next; 0 when it is not in the queue. */
  position(uid: string): number
  /** The member that falls to the lease when the whole queue is matched. */
  memberFor(uid: string): ClusterInstance | undefined
  /** UIDs of the leases that a member falls to. */
  served(): Iterable<string>
  members(): readonly Member[]
  /** When members that failed their probe just now may be tried again, epoch milliseconds; the view is outdated then. */
  readonly retryAt: readonly number[]
}

export interface QueueInput {
  readonly pool: ClusterPool | undefined
  /** Every Pending lease of the pool. */
  readonly pending: readonly ClusterLease[]
  /** Asked for when a lease has to be told why it waits, or to find the free members. */
  readonly instances: readonly ClusterInstance[]
  /** Free members that no pending lease has chosen, best first. Default: found among the instances. */
  readonly candidates?: Iterable<Candidate>
  readonly probes: ReadonlyMap<string, ProbeSeen>
  readonly lastServed: ReadonlyMap<string, number>
  /** Its choice of a member is being written: it keeps its place and is given no other. Default: none. */
  readonly isChoosing?: (lease: ClusterLease) => boolean
  /** Default: no limits. */
  readonly allowance?: Allowance
}

/** `now` is epoch milliseconds. */
export function viewQueue(input: QueueInput, now: number): QueueView {
  const { pool, pending, probes, lastServed, isChoosing = () => false } = input
  const queue = once(() => queueOrder(pending, lastServed))
  const places = once(() => new Map(queue().map((lease, index) => [lease.metadata.uid ?? '', index + 1])))
  const retryAt: number[] = []
  const matched = once(() => {
    if (pool === undefined) return new Map<string, Candidate>()
    const candidates = input.candidates ?? candidatesOf(pool, input.instances, pending)
    const takers = queue().filter((lease) => !isChoosing(lease))
    return assign(takers, passing(candidates, { probes, now, retryAt }), input.allowance)
  })
  return {
    position: (uid) => places().get(uid) ?? 0,
    memberFor: (uid) => matched().get(uid)?.instance,
    served: () => matched().keys(),
    members: once(() => membersOf(pool, input.instances)),
    get retryAt() {
      matched()
      return retryAt
    },
  }
}

/** One that just failed a probe is passed over; when it may be tried again goes into `retryAt`. */
function* passing(
  candidates: Iterable<Candidate>,
  { probes, now, retryAt }: { readonly probes: QueueInput['probes']; readonly now: number; readonly retryAt: number[] },
): Iterable<Candidate> {
  for (const candidate of candidates) {
    const probe = probes.get(candidate.uid)
    if (probe === undefined || probe.healthy || now - probe.at >= PROBE_FRESH_MS) yield candidate
    else retryAt.push(probe.at + PROBE_FRESH_MS)
  }
}

function membersOf(pool: ClusterPool | undefined, instances: readonly ClusterInstance[]): readonly Member[] {
  const hash = pool?.status?.currentSpecHash
  const specHash =
    hash === undefined
      ? ({ state: 'unreadable', reason: Reason.NotObserved, message: '' } as const)
      : ({ state: 'known', hash, version: SPEC_HASH_VERSION } as const)
  return instances.map((instance) => toMember(instance, specHash))
}
